// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "support/result.h"

namespace culink {

// True if CULINK_SANDBOX is set.
[[nodiscard]] bool wants_sandbox();

// From now on this process, with all its threads, can compute, and use what it has open: no files
// by name, no terminal, no sockets of its own, no programs, no other processes. Calls of the system
// that would do so fail. Nothing can undo it. An error: it is not so, because the kernel or the
// machine has no such filters.
[[nodiscard]] std::optional<Error> enter_sandbox();

} // namespace culink
