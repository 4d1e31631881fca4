// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin usage: registers, stack, memory and barriers of each kernel and function.
void add_usage_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
