// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin assemble: YAML back to a cubin.
void add_assemble_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
