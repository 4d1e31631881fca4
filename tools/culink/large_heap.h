// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/types.h"

namespace culink {

// Prepares the process for a link of that many bytes by as many threads; 0: one per core. Does
// nothing for small ones.
void prepare_heap(u64 input_bytes, u32 threads);

} // namespace culink
