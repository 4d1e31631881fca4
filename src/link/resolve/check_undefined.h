// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/diagnostics.h"

namespace culink {

// Reports what an executable needs and nobody defines.
void check_undefined(const Program &program, Diagnostics &diag);

// Reports functions without a register count, and unified tables, whose index we cannot read; in
// executables only.
void check_executable(const Program &program, Diagnostics &diag);

} // namespace culink
