// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// The installed ptxas: beside the nvcc in PATH, in CUDA_HOME or CUDA_PATH, in PATH, or in CUDA's
// usual place. Empty: there is none.
[[nodiscard]] std::string find_ptxas();

} // namespace culink
