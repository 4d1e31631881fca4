// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// The C++ name of a mangled one, in the style of NVIDIA's tools: `void f<int>(T1 *)`. Anything that
// is not mangled, or in a way that those tools do not know, comes back as it is.
[[nodiscard]] std::string demangle(std::string_view name);

} // namespace culink
