// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "console.h"
#include "culink/linker.h"
#include "driver/options/command_line.h"

namespace culink {

// Prints the reports that nvlink also prints: -v and -dump-callgraph.
void print_nvlink_reports(const CommandLine &line, const Console &console,
                          const LinkResult &result);

// Returns the other reports that the command line requests.
[[nodiscard]] std::string own_reports(const CommandLine &line, const Console &console,
                                      const LinkResult &result);

// Returns the map in the requested format.
[[nodiscard]] std::string map_text(const CommandLine &line, const Console &console,
                                   const LinkFacts &facts);

// Returns the page of --report.
[[nodiscard]] std::string report_page(const CommandLine &line, const LinkResult &result);

} // namespace culink
