// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/linker.h"
#include "driver/options/command_line.h"

namespace culink {

// The page of --report.
[[nodiscard]] std::string report_page(const CommandLine &line, const LinkResult &result);

} // namespace culink
