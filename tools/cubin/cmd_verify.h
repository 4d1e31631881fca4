// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin verify: every rule of a device ELF that a file breaks.
void add_verify_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
