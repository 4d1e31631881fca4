// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

namespace culink::tools {

// cubin size FILE, cubin size OLD NEW
void add_size_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
