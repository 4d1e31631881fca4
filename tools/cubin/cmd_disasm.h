// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/App.hpp>

namespace culink::tools {

// cubin disasm: instructions, by an installed nvdisasm.
void add_disasm_command(CLI::App &app, int &exit_code);

} // namespace culink::tools
