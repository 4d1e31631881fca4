// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/linker.h"

namespace culink {

// The file of --register-link-binaries: one registration function for each module, for the stub
// that nvcc compiles into the host program. Modules without an id are named by their path, which
// is relative to `folder` if it does not begin with a slash. Unused modules are left out.
[[nodiscard]] std::string registration_text(const std::vector<LinkedModule> &modules,
                                            const std::string &folder);

// Whether a file that is there already is to stay: that of a link of the same modules for another
// target, where none was unused; or any file at all, if there are unused modules.
[[nodiscard]] bool keeps_registration(std::vector<LinkedModule> modules, const std::string &folder,
                                      std::string_view existing, bool whatever_it_says);

} // namespace culink
