// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_debug.h"

namespace culink {

// The layout of the SASS plane, as far as relocations ask for it: sections without their contents,
// locations and addresses, and the relocations of the inputs.
[[nodiscard]] Layout sass_layout(const SassContext &context, const SassCodeList &code,
                                 const SassDebug &debug);

// Relocations where instructions went. `plan`: of the SASS plane, as they were compiled.
[[nodiscard]] RelocationPlan move_relocations(const SassContext &context, const SassCodeList &code,
                                              const nvlink::MergedDebug &merged,
                                              RelocationPlan plan);

} // namespace culink
