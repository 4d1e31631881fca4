// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge.h"
#include "model/diagnostics.h"

namespace culink {

// Reports what an executable needs and nobody defines.
void check_undefined(const Program &program, Diagnostics &diag);

} // namespace culink
