// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

namespace culink::tools {

void add_callgraph_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
