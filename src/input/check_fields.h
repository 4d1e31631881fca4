// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "base/result.h"
#include "model/input_object.h"

namespace culink {

// Checks that no two relocations of an object give values to one field. Returns the first that do.
[[nodiscard]] std::optional<Error> check_fields(const InputObject &object);

} // namespace culink
