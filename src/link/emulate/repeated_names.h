// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "model/dialect.h"
#include "model/input_object.h"

namespace culink {

// Where an object has several local functions of one name, all of them get the records of the
// first, if the dialect wants it so.
void repeat_first_of_name(std::vector<InputObject> &objects, const Dialect &dialect);

} // namespace culink
