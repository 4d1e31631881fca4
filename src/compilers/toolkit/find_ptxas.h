// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// The ptxas of the toolkit (see places.h), or else that in PATH. Empty: there is none, or
// the first toolkit has libnvJitLink alone, which compiles PTX, too.
[[nodiscard]] std::string find_ptxas(const std::string &cuda,
                                     const std::vector<std::string> &near = {});

} // namespace culink
