// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "model/layout.h"

namespace culink {

// Copies the compiler constants of device functions into the banks of the kernels that reach them.
[[nodiscard]] Layout place_constants(const Program &program, const Reach &reach, Layout layout);

} // namespace culink
