// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// Whether somebody who says `wanted` means this symbol: by its own name, or by the one that the
// source has, with or without parameters, template arguments and namespaces, however blanks and
// `const` are put. A star stands for any text.
[[nodiscard]] bool is_meant(std::string_view symbol, std::string_view wanted);

// Whether -kernels-used keeps a kernel: its name has one of these texts in it, or, if names may be
// those of the source, is meant by one.
[[nodiscard]] bool selects_kernel(std::string_view symbol, const std::vector<std::string> &wanted,
                                  bool by_source_name);

} // namespace culink
