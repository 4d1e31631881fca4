// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compat/command_line.h"
#include "console.h"
#include "culink/linker.h"

namespace culink {

// Prints what -v, -dump-callgraph and the other questions on the command line ask for.
void print_reports(const CommandLine &line, const Console &console, const LinkResult &result);

} // namespace culink
