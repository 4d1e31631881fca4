// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/program.h"
#include "support/worker_pool.h"

namespace culink {

// Replaces identical live device functions by one of them (--icf=safe): same code, relocations,
// records and calls. Kernels and functions whose address is taken stay as they are. The result
// equals a program in which all callers name that function; Resolution::folded lists the others.
// `sass`: the other plane of objects with Mercury code, which has to agree, or nothing.
[[nodiscard]] Resolution fold_identical(const std::vector<InputObject> &objects,
                                        const std::vector<InputObject> *sass, Resolution symbols,
                                        const CallGraph &calls, const LiveSet &live,
                                        WorkerPool &pool);

} // namespace culink
