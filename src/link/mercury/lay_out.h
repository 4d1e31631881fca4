// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/plan_sass.h"

namespace culink {

// Numbers and lays out one file with both planes.
[[nodiscard]] std::optional<FileDraft> lay_out_planes(const Program &mercury, OutputPlan plan,
                                                      const SassInputs &inputs, SassPlan sass,
                                                      WorkerPool &pool, Diagnostics &diag);

} // namespace culink
