// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace culink::tools {

// The manual page of the program: its commands and their options, as they are registered.
[[nodiscard]] std::string man_page(const CLI::App &app);

} // namespace culink::tools
