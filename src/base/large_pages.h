// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/types.h"

namespace culink {

inline constexpr u64 kLargePage = u64{2} << 20;

// Memory from the system, cleared, in large pages if there are any: a page fault for each 4 KB of a
// large table takes longer than filling it. Null: there is none.
[[nodiscard]] u8 *map_large_pages(u64 size);
void unmap_large_pages(u8 *bytes, u64 size);

} // namespace culink
