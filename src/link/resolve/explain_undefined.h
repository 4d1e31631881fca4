// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/resolve/program.h"
#include "model/diagnostics.h"

namespace culink {

// Reports these entities as undefined: who refers to each, and what may have been meant.
void report_undefined(const Program &program, const std::vector<EntityId> &missing,
                      Diagnostics &diag);

} // namespace culink
