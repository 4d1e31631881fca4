// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink::bench {

// A relocatable sm_90 cubin of `functions` kernels, each with code, parameters, an info section and
// a relocation table: four sections per kernel and about ten for the file. `code_bytes` is the size
// of each kernel's code, rounded up to 128. The file keeps every rule of `cubin verify`.
[[nodiscard]] Result<std::vector<u8>> synthetic_cubin(u32 functions, u64 code_bytes);

} // namespace culink::bench
