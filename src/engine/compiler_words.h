// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace culink {

// Whether a word for ptxas or the optimizer (-Xptxas, -Xnvvm) is known to concern the code alone:
// an option that names no file, with its value after '=', or a value without a slash.
[[nodiscard]] bool concerns_code_alone(std::string_view word);

// Whether a word is an option of ptxas that names a file, or more options.
[[nodiscard]] bool names_file(std::string_view word);

} // namespace culink
