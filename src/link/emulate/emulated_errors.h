// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/diagnostics.h"

namespace culink::emulate {

// Reports what the dialect's release of nvlink refuses although it can be linked.
void check_emulated_errors(const Program &program, Diagnostics &diag);

} // namespace culink::emulate
