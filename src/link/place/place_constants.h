// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink {

// Copies the compiler constants of device functions into the banks of the kernels that reach them.
[[nodiscard]] Layout place_constants(const Program &program, const Reach &reach, Layout layout);

// Packs the __constant__ variables of the program if their bank is too large. Where kernels are
// selected, those that nothing uses are dropped.
[[nodiscard]] Layout place_user_constants(const Program &program, Layout layout);

} // namespace culink
