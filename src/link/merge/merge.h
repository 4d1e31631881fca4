// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"

namespace culink {

// Creates output sections and symbols from the inputs, file by file, in nvlink's order.
[[nodiscard]] Layout merge_inputs(const Program &program);

} // namespace culink
