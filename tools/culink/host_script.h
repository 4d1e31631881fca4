// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace culink {

// The script of -ghls that keeps the sections with device code together: "lcs-aug" gives what is to
// be added to the host linker's own script, "lcs-abs" that script with the addition.
[[nodiscard]] Result<std::string> host_linker_script(std::string_view kind);

} // namespace culink
