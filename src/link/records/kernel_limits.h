// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/records/info_records.h"
#include "link/records/propagate.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "model/diagnostics.h"

namespace culink {

// The number of registers that a kernel may use, in order of the records that say so.
struct RegisterLimit {
  FunctionId kernel;
  u32 most = 0;
};

// Whether the stack of a kernel has no bound, is more than the kernel may use, or more than a
// record can hold. Few kernels are like that.
[[nodiscard]] bool exceeds_stack(const Resources &resources, FunctionId kernel);

// Reports kernels that call functions with more registers than the kernel may use, kernels with
// more stack than they may use, and stacks that no record can hold. `kernels`: those for which
// exceeds_stack is true, in the order of the symbols.
void check_kernel_limits(const Program &program, const Reach &reach, const Layout &layout,
                         const Resources &resources, const std::vector<FunctionId> &kernels,
                         const std::vector<RegisterLimit> &limits, Diagnostics &diag);

} // namespace culink
