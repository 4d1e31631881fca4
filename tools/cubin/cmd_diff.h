// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin diff: what is different between two files, in words.
void add_diff_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
