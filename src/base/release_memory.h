// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink {

// Gives what was freed back to the system, where the allocator can do that.
void release_free_memory();

} // namespace culink
