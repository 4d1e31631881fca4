// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"

namespace culink::nvlink {

// Shared memory of a relocatable link that resolves early: sizes the sections of kernels, defines
// dynamic memory and makes instances of it.
[[nodiscard]] PlacedShared place_shared_early(const Program &program, SharedUses uses,
                                              Layout layout);

// Where dynamic memory of each kernel starts if only the first function of a group aligns it
// (Q116). The ends of a group agree.
[[nodiscard]] std::vector<u64> starts_by_first_function(const DynamicGroups &groups,
                                                        std::vector<u64> ends);

} // namespace culink::nvlink
