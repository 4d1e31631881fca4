// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/types.h"

namespace culink {

// Sets to 0, in the table of registers, the offsets in the code that nvlink has read from memory
// behind the end of a table, because they are offsets in a discarded definition that is longer than
// the prevailing one (Q106).
void clear_unknown_locations(std::vector<u8> &linked_file);

} // namespace culink
