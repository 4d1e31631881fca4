// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge/merge.h"
#include "link/model/diagnostics.h"
#include "link/model/record_list.h"
#include "link/resolve/reach.h"
#include "support/worker_pool.h"

namespace culink {

struct InfoResult {
  InfoPlan plan;
  // If facts are asked for: in symbol order, then live ones that are not selected.
  std::vector<KernelUse> kernels;
};

// The records of .nv.info and .nv.info.F: those of the inputs, and what a kernel inherits from the
// functions it reaches.
[[nodiscard]] InfoResult plan_info_records(const Program &program, const Reach &reach,
                                           const Layout &layout, WorkerPool &pool,
                                           Diagnostics &diag);

} // namespace culink
