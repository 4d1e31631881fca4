// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin dump: what is in a file, as text or JSON.
void add_dump_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
