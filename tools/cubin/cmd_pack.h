// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

namespace culink::tools {

// cubin pack FILE... -o FATBIN
void add_pack_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
