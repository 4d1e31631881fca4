// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/diagnostics.h"
#include "model/layout.h"

namespace culink {

// Checks that the __constant__ variables of the program fit into their bank. Where kernels are
// selected, variables that nothing uses are dropped if the bank is too large.
[[nodiscard]] Layout place_user_constants(const Program &program, Layout layout, Diagnostics &diag);

} // namespace culink
