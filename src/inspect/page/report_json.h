// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "inspect/page/report.h"

namespace culink::page {

// The data of a page: JSON that can stand in a script element. Whatever bytes a name has, the text
// is valid UTF-8 without control characters and without the characters that begin or end markup.
[[nodiscard]] std::string report_json(const Report &report);

} // namespace culink::page
