// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace culink::tools {

// What a shell ("bash", "zsh", "fish") needs to complete commands, options and values.
[[nodiscard]] std::string completions(const CLI::App &app, std::string_view shell);

} // namespace culink::tools
