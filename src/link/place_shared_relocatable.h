// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/place_shared.h"

namespace culink {

// Of the memory that a launch adds behind the variables.
constexpr u64 kDynamicAlign = 16;

[[nodiscard]] SharedPlan place_shared_relocatable(const Program &program, Merged &merged);

} // namespace culink
