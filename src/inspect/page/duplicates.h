// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "inspect/page/report.h"

namespace culink::page {

// By image and function: the number of its group, from 1, if others have the same machine code for
// the same target; else 0. Code that is not linked is the same only under the same name, because
// what it calls is not in it yet. Sides of a comparison are apart.
[[nodiscard]] std::vector<std::vector<u32>> number_duplicates(const Report &report);

// By image and function: a number for its machine code, equal for equal code, on both sides.
[[nodiscard]] std::vector<std::vector<u32>> number_code(const Report &report);

} // namespace culink::page
