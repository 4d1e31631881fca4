// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink.h"
#include "support/types.h"

namespace culink::robustness {

// Read all that a handle has, text and bytes to their ends, as a caller in C may. Each returns what
// is broken, or nothing: a list that is shorter than its count, text that is missing, a result that
// contradicts its status.
[[nodiscard]] std::string read_all(const culink_cubin *cubin);
[[nodiscard]] std::string read_all(const culink_result *result, culink_status status);

// Opens bytes as a cubin and reads all of it. What is broken, or nothing.
[[nodiscard]] std::string open_and_read(ByteSpan bytes);

} // namespace culink::robustness
