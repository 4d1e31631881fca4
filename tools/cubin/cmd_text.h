// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin text: a cubin as editable YAML.
void add_text_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
