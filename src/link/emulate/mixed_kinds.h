// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "model/dialect.h"
#include "model/input_object.h"

namespace culink {

// What becomes of objects with Mercury code in a link of machine code alone.
void forget_mercury_marks(std::vector<InputObject> &objects, const Dialect &dialect);

} // namespace culink
