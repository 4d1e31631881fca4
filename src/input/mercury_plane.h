// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "model/input_object.h"

namespace culink {

// The Mercury object inside an object for sm_100 and later: sections and symbols have the numbers
// and names of their machine-code twins, so that what a pass finds out about one half holds for the
// other. Of what has no Mercury form, constant bank 0 is missing and all else is the same.
[[nodiscard]] Result<InputObject> parse_mercury_plane(const InputObject &object);

} // namespace culink
