// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "input/collect.h"
#include "model/diagnostics.h"

namespace culink {

// Adds to messages about undefined symbols which of the inputs that were not linked define them.
void name_skipped_definitions(const std::vector<SkippedCode> &skipped, Diagnostics &diag);

} // namespace culink
