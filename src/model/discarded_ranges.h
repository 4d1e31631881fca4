// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/types.h"

namespace culink {

// Bytes of an object's sections that belong to discarded definitions: relocations in them are
// dropped.
class DiscardedRanges {
public:
  void add(u32 section, u64 begin, u64 end);
  // After the last add(), before the first question.
  void sort();

  // Whether there are any in a section.
  [[nodiscard]] bool touch(u32 section) const;
  [[nodiscard]] bool contain(u32 section, u64 offset) const;

private:
  struct Range {
    u32 section = 0;
    u64 begin = 0;
    u64 end = 0;
  };
  std::vector<Range> ranges_; // once sorted, they do not overlap
};

} // namespace culink
