// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "support/types.h"

namespace culink {

// A cubin without the contents of its debug information: lines, types, locations and the PTX that
// it was made of. Its sections stay, and are empty. Frames (.debug_frame) stay, too: code without
// debug information has them. Nothing: there is no such information, or the file is not laid out as
// compilers do it.
[[nodiscard]] std::optional<std::vector<u8>> strip_debug(ByteSpan cubin);

} // namespace culink
