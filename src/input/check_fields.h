// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "model/input_object.h"

namespace culink {

// Checks that no two relocations of an object give values to one field. Returns the first that do.
// `tables`: its tables of relocations, without those of Mercury code, in their order.
[[nodiscard]] std::optional<Error> check_fields(const InputObject &object,
                                                std::span<const u32> tables);

} // namespace culink
