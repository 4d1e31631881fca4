// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "support/worker_pool.h"

namespace culink {

// Places every shared variable, sizes the shared sections, and creates those that are missing.
[[nodiscard]] PlacedShared place_shared(const Program &program, const Reach &reach, Layout layout,
                                        WorkerPool &pool);

} // namespace culink
