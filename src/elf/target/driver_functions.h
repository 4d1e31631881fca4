// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace culink::arch {

// True if the driver provides the function, so that an executable may leave it undefined. A program
// may also define it.
[[nodiscard]] bool is_driver_function(std::string_view name);

// True if a driver function's symbol is kept in the output even if live code does not call it.
[[nodiscard]] bool is_always_listed(std::string_view name);

// True if libcudadevrt defines the function.
[[nodiscard]] bool is_runtime_function(std::string_view name);

} // namespace culink::arch
