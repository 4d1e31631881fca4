// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/linker.h"

namespace culink {

// The file of --register-link-binaries: one registration function for each module, for the stub
// that nvcc compiles into the host program. Modules without an id are named by their path, which
// is relative to `folder` if it does not begin with a slash.
[[nodiscard]] std::string registration_text(const std::vector<LinkedModule> &modules,
                                            const std::string &folder);

} // namespace culink
