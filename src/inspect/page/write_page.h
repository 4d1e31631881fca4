// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "inspect/page/report.h"

namespace culink::page {

// The report as one HTML file that needs nothing else and asks nobody for anything.
[[nodiscard]] std::string page_html(const Report &report);

} // namespace culink::page
