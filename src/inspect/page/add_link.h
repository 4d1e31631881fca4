// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/linker.h"
#include "inspect/page/report.h"

namespace culink::page {

// Adds what only the link knows of its image: inputs, what was discarded and, where they were
// measured, the times of the steps. Messages are for the caller to add, in its words.
[[nodiscard]] Report with_link(ImageReport image, const LinkResult &result);

} // namespace culink::page
