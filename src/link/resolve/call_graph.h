// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/link_options.h"
#include "link/model/diagnostics.h"
#include "link/model/link_policy.h"
#include "link/model/program.h"
#include "support/worker_pool.h"

namespace culink {

// Merges the call graphs of the objects. Calls of discarded definitions do not count.
[[nodiscard]] CallGraph build_call_graph(const std::vector<InputObject> &objects,
                                         const Resolution &symbols, const LinkPolicy &policy,
                                         WorkerPool &pool, Diagnostics &diag);

// Marks the functions that are live, each with its reason: what kernels reach, and every function
// whose address is taken.
[[nodiscard]] LiveSet mark_live(const Resolution &symbols, const CallGraph &calls,
                                const LinkOptions &options, const LinkPolicy &policy);

} // namespace culink
