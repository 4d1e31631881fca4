// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace culink {

// True for options of ptxas or the optimizer (-Xptxas, -Xnvvm) that are known to affect code alone:
// an option that names no file, with its value after '=', or a value without a slash.
[[nodiscard]] bool concerns_code_alone(std::string_view word);

// True for options of ptxas that name a file or a response file.
[[nodiscard]] bool names_file(std::string_view word);

} // namespace culink
