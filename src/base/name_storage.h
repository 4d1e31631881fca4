// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"

namespace culink {

// Memory for strings that are made up. They stay where they are, also when the storage is moved,
// and are freed as a whole.
class NameStorage {
public:
  [[nodiscard]] char *allocate(size_t size) {
    if (size > left_) [[unlikely]]
      add_block(size);
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }
  [[nodiscard]] std::string_view keep(std::string_view text) { return keep(text, {}); }
  // The concatenation of two strings.
  [[nodiscard]] std::string_view keep(std::string_view prefix, std::string_view text) {
    const size_t size = prefix.size() + text.size();
    char *out = allocate(size);
    prefix.copy(out, prefix.size());
    text.copy(out + prefix.size(), text.size());
    return {out, size};
  }

private:
  static constexpr size_t kBlock = 1 << 16;
  [[gnu::noinline]] void add_block(size_t size) {
    left_ = std::max(size, kBlock);
    next_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  std::vector<std::unique_ptr<char[]>> blocks_;
  char *next_ = nullptr;
  size_t left_ = 0;
};

} // namespace culink
