// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "input/collect.h"
#include "link/model/diagnostics.h"
#include "link/model/input_object.h"

namespace culink {

// Adds to messages about undefined symbols which of the inputs that were not linked define them.
void name_skipped_definitions(const std::vector<SkippedCode> &skipped, Diagnostics &diag);

// Reports that no object has a kernel, where inputs were left out.
void warn_about_lost_kernels(const std::vector<InputObject> &objects,
                             const std::vector<SkippedCode> &skipped, Diagnostics &diag);

} // namespace culink
