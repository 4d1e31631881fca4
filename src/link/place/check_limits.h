// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/diagnostics.h"
#include "link/model/layout.h"
#include "link/place/place_images.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink {

// Reports kernels with more shared memory, constants or images than the target has (arch::Limits).
void check_limits(const Program &program, const Reach &reach, const Layout &layout,
                  const ImagePlan &images, Diagnostics &diag);

} // namespace culink
