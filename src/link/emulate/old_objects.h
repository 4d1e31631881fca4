// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether a kernel's record of barriers, which it has from a callee, hides the count in the flags
// of its code, which then stays there.
[[nodiscard]] bool loses_barriers(const Program &program);

// The flags that its code keeps.
[[nodiscard]] u64 barrier_flags(const Program &program, u32 in_flags);

// The flags of a function's constant bank, given those it has in its object.
[[nodiscard]] u64 bank_flags(const Program &program, u64 flags);

} // namespace culink::emulate
