// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// What --version of a program prints: its version, and the releases of nvlink that --emulate names.
[[nodiscard]] std::string version_text(std::string_view program);

} // namespace culink
