// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/worker_pool.h"

namespace culink {

// What find(i, out) appends to `out` for every i < count, in this order. Ranges of `grain` numbers
// are the work of different threads.
template <typename T, typename Find>
[[nodiscard]] std::vector<T> gather(u32 count, u32 grain, WorkerPool &pool, Find find) {
  std::vector<std::vector<T>> ranges(count / grain + 1);
  pool.for_ranges(count, grain, [&](u32 begin, u32 end) {
    std::vector<T> &range = ranges[begin / grain];
    const Find own = find; // what it captures by value can be in registers
    for (u32 i = begin; i < end; ++i)
      own(i, range);
  });
  if (ranges.size() == 1)
    return std::move(ranges[0]);
  size_t found = 0;
  for (const std::vector<T> &range : ranges)
    found += range.size();
  std::vector<T> out;
  out.reserve(found);
  for (const std::vector<T> &range : ranges)
    out.insert(out.end(), range.begin(), range.end());
  return out;
}

} // namespace culink
