// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/diagnostics.h"
#include "link/resolve/program.h"
#include "support/worker_pool.h"

namespace culink::nvlink {

// Reports what the dialect's release of nvlink refuses although it can be linked, and what other
// links refuse because nvlink links it wrongly.
void check_emulated_errors(const Program &program, WorkerPool &pool, Diagnostics &diag);

} // namespace culink::nvlink
