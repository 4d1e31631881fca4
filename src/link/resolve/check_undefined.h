// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/diagnostics.h"

namespace culink {

// Reports what an executable needs and nobody defines.
void check_undefined(const Program &program, Diagnostics &diag);

// Refuses what nvlink stumbles over, where that is asked for, and unified tables, whose index we
// cannot read. False after a report.
[[nodiscard]] bool check_habits(const Program &program, Diagnostics &diag);

} // namespace culink
