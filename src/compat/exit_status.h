// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/diagnostics.h"

namespace culink {

// The exit status of a link that failed with these messages. culink's own is 1; nvlink's depends on
// when it gave up.
[[nodiscard]] int exit_status(const std::vector<Message> &messages, bool emulate);

} // namespace culink
