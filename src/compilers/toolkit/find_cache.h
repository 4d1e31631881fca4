// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/cache_options.h"

namespace culink {

// The cache of this user, as variables say (docs/cache.md): on unless they switch it off, and none
// where the user has no home.
[[nodiscard]] CacheOptions find_cache();

} // namespace culink
