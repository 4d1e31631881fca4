// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "model/dialect.h"

namespace culink {

// culink's own way: correct relocatable links, its own name in the tool note.
[[nodiscard]] Dialect own_dialect();

// nvlink 13.0.88 to the last byte, known defects included.
[[nodiscard]] Dialect nvlink_13_0_88();

} // namespace culink
