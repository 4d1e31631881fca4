// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of strings. They are assigned when strings are added; no bytes are copied here.
#include "elf/string_table.h"

namespace culink::elf {

u64 StringTable::add(std::string_view s) {
  if (s.empty())
    return 0;
  const auto [number, is_new] = index_.insert(s);
  if (is_new)
    offset_of_.push_back(add_separately(s));
  return offset_of_[number];
}

u64 StringTable::add_separately(std::string_view s) {
  const u64 offset = size_;
  size_ += s.size() + 1;
  return offset;
}

} // namespace culink::elf
