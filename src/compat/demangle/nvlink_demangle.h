// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// The C++ name of a mangled one in nvlink's style: `void f<int>(T1 *)`. Only for texts that are to
// be nvlink's; anything that is not mangled, or in a way that nvlink does not know, comes back as
// it is.
[[nodiscard]] std::string nvlink_demangle(std::string_view name);

} // namespace culink
