// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory of a device function starts at one offset, whichever kernel calls it. So
// kernels that reach a common function with dynamic memory agree on the largest of their ends; that
// goes on until no group has two different ones. Used by placing passes only.
#include "model/shared_plan.h"

#include <algorithm>
#include <numeric>

namespace culink {

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
