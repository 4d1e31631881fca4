// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>
#include <map>

#include "support/types.h"

namespace culink::text {

// Ranges of the file that have an owner.
class OwnedRanges {
public:
  // Takes the range if no byte of it is owned.
  [[nodiscard]] bool take(u64 offset, u64 size, u32 owner) {
    const auto next = ranges_.lower_bound(offset);
    if (next != ranges_.end() && next->first < offset + size)
      return false;
    if (next != ranges_.begin() && std::prev(next)->second.end > offset)
      return false;
    ranges_.emplace(offset, Range{offset + size, owner});
    return true;
  }
  // The owner of exactly this range, or 0.
  [[nodiscard]] u32 owner_of(u64 offset, u64 size) const {
    const auto found = ranges_.find(offset);
    return found != ranges_.end() && found->second.end == offset + size ? found->second.owner : 0;
  }

private:
  struct Range {
    u64 end;
    u32 owner; // a section, or 0 for the headers
  };
  std::map<u64, Range> ranges_;
};

} // namespace culink::text
