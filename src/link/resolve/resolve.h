// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/diagnostics.h"
#include "link/model/link_policy.h"
#include "link/model/program.h"
#include "support/worker_pool.h"

namespace culink {

// Merges the symbols of all objects into entities and decides for each which definition prevails.
[[nodiscard]] Resolution resolve_symbols(const std::vector<InputObject> &objects,
                                         const LinkPolicy &policy, WorkerPool &pool,
                                         Diagnostics &diag);

} // namespace culink
