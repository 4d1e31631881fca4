// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// The barrier count of a function that has a record of it, and a count in the flags of its code.
[[nodiscard]] u32 barrier_count(const Program &program, u32 recorded, u32 in_flags);

// The flags that its code keeps.
[[nodiscard]] u64 barrier_flags(const Program &program, u32 in_flags);

// The flags of a function's constant bank, given those it has in its object.
[[nodiscard]] u64 bank_flags(const Program &program, u64 flags);

} // namespace culink::emulate
