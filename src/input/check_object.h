// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/input_object.h"
#include "support/result.h"

namespace culink {

// Checks what passes rely on beyond valid indices: symbols are in sections of their kind, names of
// sections agree with their types where it matters, sizes and alignments can be added up, and no
// code would be left out silently. Returns the first violation, by section and field, or the
// functions that the object defines, by number of symbol.
[[nodiscard]] Result<std::vector<u32>> check_object(const InputObject &object);

} // namespace culink
