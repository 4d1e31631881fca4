// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "compat/command_line.h"
#include "culink/linker.h"

namespace culink {

// The page of --report.
[[nodiscard]] std::string report_page(const CommandLine &line, const LinkResult &result);

} // namespace culink
