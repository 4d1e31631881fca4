// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether a kernel's record of barriers, which it has from a callee, hides the count in the flags
// of its code, which then stays there.
[[nodiscard]] bool loses_barriers(const Program &program);

// The flags that its code keeps.
[[nodiscard]] u64 barrier_flags(const Program &program, u32 in_flags);

// Whether debug information about a definition that was discarded keeps its relocations, and so
// describes the one that prevails.
[[nodiscard]] bool keeps_discarded_frames(const Program &program);

// Whether a file that is the first to refer to a function without defining it leaves a local symbol
// without a name.
[[nodiscard]] bool leaves_blank_symbols(const Program &program);

// The flags of a function's constant bank, given those it has in its object.
[[nodiscard]] u64 bank_flags(const Program &program, u64 flags);

} // namespace culink::emulate
