// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink {

// Finds the users of shared variables in the relocations of the objects.
[[nodiscard]] SharedUses find_shared_uses(const Program &program, const Layout &layout);

// Kernels that reach one of these functions, ascending. A kernel that is not selected uses only
// what its own code refers to.
[[nodiscard]] std::vector<FunctionId> kernels_of_users(const Program &program, const Reach &reach,
                                                       const std::vector<FunctionId> &users);

} // namespace culink
