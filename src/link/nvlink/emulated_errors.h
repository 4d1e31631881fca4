// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/diagnostics.h"
#include "link/resolve/program.h"
#include "support/worker_pool.h"

namespace culink::nvlink {

// Reports sound programs that the dialect's release of nvlink refuses and, in other links, programs
// that are refused because nvlink links them wrongly.
void check_emulated_errors(const Program &program, WorkerPool &pool, Diagnostics &diag);

} // namespace culink::nvlink
