// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "base/worker_pool.h"
#include "model/diagnostics.h"

namespace culink {

// Calls check(i, messages) for every i < count, on several threads, `grain` numbers together. The
// messages come in the order of the numbers.
template <typename Check>
void report_from_threads(WorkerPool &pool, u32 count, u32 grain, const Check &check,
                         Diagnostics &diag) {
  std::vector<Diagnostics> parts(count / grain + 1);
  pool.for_ranges(count, grain, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      check(i, parts[begin / grain]);
  });
  for (Diagnostics &part : parts)
    diag.append(std::move(part));
}

} // namespace culink
