// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "console.h"
#include "driver/options/command_line.h"

namespace culink {

// --cache-clear and --cache-stats. Returns the exit status.
[[nodiscard]] int run_cache_command(const CommandLine &line, const Console &console);

} // namespace culink
