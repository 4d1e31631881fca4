// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "console.h"
#include "culink/linker.h"
#include "driver/options/command_line.h"

namespace culink {

// Prints what nvlink prints, too: -v and -dump-callgraph.
void print_nvlink_reports(const CommandLine &line, const Console &console,
                          const LinkResult &result);

// What the other questions on the command line ask for.
[[nodiscard]] std::string own_reports(const CommandLine &line, const Console &console,
                                      const LinkResult &result);

// The map, in the format that was asked for.
[[nodiscard]] std::string map_text(const CommandLine &line, const Console &console,
                                   const LinkFacts &facts);

// The page of --report.
[[nodiscard]] std::string report_page(const CommandLine &line, const LinkResult &result);

} // namespace culink
