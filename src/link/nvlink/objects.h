// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"

namespace culink::nvlink {

// The objects of a link of SASS alone, without the marks of Mercury code that are lost.
[[nodiscard]] std::vector<InputObject> forget_mercury_marks(std::vector<InputObject> objects,
                                                            const Dialect &dialect);

// The objects of a link with Mercury code, where several local functions of one name may all have
// the records and relocations of the first.
[[nodiscard]] std::vector<InputObject> repeat_first_of_name(std::vector<InputObject> objects,
                                                            const Dialect &dialect);

// By object: whether it is linked (resolve/system_library.h).
[[nodiscard]] std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects,
                                                    const Dialect &dialect, Diagnostics &diag);

} // namespace culink::nvlink
