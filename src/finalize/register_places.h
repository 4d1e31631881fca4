// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/types.h"

namespace culink {

// nvlink looks places of a copy that does not count up in a table of the one that does, and reads
// behind its end where the copy is longer (Q106): whatever its memory held there. In this file such
// places become 0.
void clear_unknown_places(std::vector<u8> &linked_file);

} // namespace culink
