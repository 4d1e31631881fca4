// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/layout.h"
#include "link/resolve/program.h"

namespace culink::nvlink {

// Merges blocks of the bank that are equal.
[[nodiscard]] Layout merge_equal_constants(const Program &program, Layout layout, OutId bank);

} // namespace culink::nvlink
