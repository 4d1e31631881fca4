// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink {

// Gives freed memory back to the system, if the allocator can do that.
void release_free_memory();

} // namespace culink
