// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge/merge.h"
#include "link/model/diagnostics.h"
#include "link/model/record_list.h"
#include "link/records/inherit.h"
#include "link/records/propagate.h"
#include "link/resolve/reach.h"
#include "support/worker_pool.h"

namespace culink {

// The plan with complete records of every kernel.
[[nodiscard]] InfoPlan finish_kernel_records(const Program &program, const Reach &reach,
                                             const Layout &layout, const Resources &resources,
                                             const std::vector<FunctionId> &kernels,
                                             ProgramRecords functions, InfoPlan plan,
                                             WorkerPool &pool, Diagnostics &diag);

} // namespace culink
