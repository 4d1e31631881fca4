// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin check OUT --inputs A B ...: is OUT what a link of these files has to be?
void add_check_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
