// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compat/command_line.h"
#include "console.h"

namespace culink {

// --cache-clear and --cache-stats. Returns the exit status.
[[nodiscard]] int run_cache_command(const CommandLine &line, const Console &console);

} // namespace culink
