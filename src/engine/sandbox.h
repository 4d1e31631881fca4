// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "base/result.h"

namespace culink {

// Whether CULINK_SANDBOX asks for it.
[[nodiscard]] bool wants_sandbox();

// From now on this process, with all its threads, can compute and read, and use what it has open:
// no sockets of its own, no programs, no other processes, no file that is written, made, renamed or
// removed. Calls of the system that would do so fail. Nothing can undo it. An error: it is not so,
// because the kernel or the machine has no such filters.
[[nodiscard]] std::optional<Error> enter_sandbox();

} // namespace culink
