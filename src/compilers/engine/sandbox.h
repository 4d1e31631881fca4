// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "support/result.h"

namespace culink {

// True if CULINK_SANDBOX is set.
[[nodiscard]] bool wants_sandbox();

// Restricts this process, with all its threads, to computing and to its open descriptors: it cannot
// open files by name, use a terminal, create sockets, or start programs or processes. Such system
// calls fail. The restriction cannot be undone. Returns an error if the kernel or the machine does
// not support such filters.
[[nodiscard]] std::optional<Error> enter_sandbox();

} // namespace culink
