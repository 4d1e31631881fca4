// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "model/diagnostics.h"
#include "model/dialect.h"
#include "model/input_object.h"

namespace culink::nvlink {

// By object: whether it is linked (resolve/system_library.h).
[[nodiscard]] std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects,
                                                    const Dialect &dialect, Diagnostics &diag);

} // namespace culink::nvlink
