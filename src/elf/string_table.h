// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "base/string_index.h"
#include "base/types.h"

namespace culink::elf {

// Offsets in a string table: a NUL, then each different string once, in order of first use, each
// with its NUL. Suffixes are not shared; ptxas and nvlink do not share them either. The bytes exist
// only in the output, where the owner of the strings copies each to its offset; the table refers to
// the caller's strings.
class StringTable {
public:
  // Optional: makes room for that many different strings at once.
  void reserve(u32 count) {
    index_.reserve(count);
    offset_of_.reserve(count);
  }
  // The offset of `s`; "" is offset 0.
  u64 add(std::string_view s) {
    if (s.empty())
      return 0;
    const auto [number, is_new] = index_.insert(s);
    if (is_new)
      offset_of_.push_back(add_separately(s));
    return offset_of_[number];
  }
  // Adds a string a second time even if an equal one exists, "" included.
  u64 add_separately(std::string_view s) {
    const u64 offset = size_;
    size_ += s.size() + 1;
    return offset;
  }

  [[nodiscard]] u64 size() const { return size_; }

private:
  StringIndex index_;
  std::vector<u64> offset_of_; // by number in index_
  u64 size_ = 1;
};

} // namespace culink::elf
