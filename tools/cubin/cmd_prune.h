// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

namespace culink::tools {

// cubin prune FILE -o FILE
void add_prune_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
