// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DiscardedRanges holds the ranges of discarded definitions; it is queried for every relocation of
// an object that has any. The ranges are sorted and joined once, so that a query is a binary
// search, even for a hostile object with overlapping symbols and as many symbols as relocations.
#include "link/model/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace culink {

void DiscardedRanges::add(u32 section, u64 begin, u64 end) {
  if (begin < end)
    ranges_.push_back({section, begin, end});
}

void DiscardedRanges::sort() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range &a, const Range &b) {
    return std::pair(a.section, a.begin) < std::pair(b.section, b.begin);
  });
  size_t count = 0;
  for (const Range &range : ranges_) {
    if (count != 0 && ranges_[count - 1].section == range.section &&
        ranges_[count - 1].end >= range.begin)
      ranges_[count - 1].end = std::max(ranges_[count - 1].end, range.end);
    else
      ranges_[count++] = range;
  }
  ranges_.resize(count);
}

bool DiscardedRanges::touch(u32 section) const {
  const auto first =
      std::lower_bound(ranges_.begin(), ranges_.end(), section,
                       [](const Range &range, u32 wanted) { return range.section < wanted; });
  return first != ranges_.end() && first->section == section;
}

bool DiscardedRanges::contain(u32 section, u64 offset) const {
  const auto next = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(section, offset),
                                     [](const auto &wanted, const Range &range) {
                                       return wanted < std::pair(range.section, range.begin);
                                     });
  return next != ranges_.begin() && std::prev(next)->section == section &&
         offset < std::prev(next)->end;
}

// Dynamic shared memory of a device function starts at one offset, whichever kernel calls it. So
// kernels that reach a common function with dynamic memory agree on the largest of their ends. This
// is repeated until the ends in each group are equal. Used by placing passes only.

// Groups that share a kernel end up with one value, so disjoint sets suffice.
std::vector<u64> agree_on_largest(const std::vector<std::vector<FunctionId>> &groups,
                                  std::vector<u64> ends) {
  std::vector<u32> leader(ends.size());
  std::iota(leader.begin(), leader.end(), 0u);
  const auto find = [&leader](u32 k) {
    while (leader[k] != k)
      k = leader[k] = leader[leader[k]];
    return k;
  };
  for (const std::vector<FunctionId> &group : groups)
    for (const FunctionId k : group) {
      const u32 a = find(group.front().value), b = find(k.value);
      leader[b] = a;
      ends[a] = std::max(ends[a], ends[b]);
    }
  for (u32 k = 0; k < ends.size(); ++k)
    ends[k] = ends[find(k)];
  return ends;
}

} // namespace culink
