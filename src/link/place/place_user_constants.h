// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink {

// Packs the __constant__ variables of the program if their bank is too large. Where kernels are
// selected, those that nothing uses are dropped.
[[nodiscard]] Layout place_user_constants(const Program &program, Layout layout);

} // namespace culink
