// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "model/diagnostics.h"
#include "model/dialect.h"
#include "model/input_object.h"
#include "model/options.h"

namespace culink {

// The objects without those of the device runtime library that nobody needs. Every compiler driver
// adds that library to every link, and most programs do not use it.
[[nodiscard]] std::vector<InputObject>
drop_unneeded_system_objects(std::vector<InputObject> objects, const LinkOptions &options,
                             const Dialect &dialect, Diagnostics &diag);

// Whether a function is called that none of the objects defines, system calls apart.
[[nodiscard]] bool calls_missing_functions(const std::vector<InputObject> &objects);

} // namespace culink
