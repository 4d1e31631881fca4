// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/linker.h"

namespace culink {

// --stats: the time of each step, what was linked, and how large it is.
[[nodiscard]] std::string stats_text(const LinkResult &result, u64 peak_memory = 0);

// The line of it about the cache, for links that have nothing else to show.
[[nodiscard]] std::string cache_text(const CacheUse &use);

} // namespace culink
