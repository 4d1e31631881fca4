// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/layout.h"
#include "model/shared_plan.h"

namespace culink {

// Finds them in the relocations of the objects.
[[nodiscard]] SharedUses find_shared_uses(const Program &program, const Layout &layout);

} // namespace culink
