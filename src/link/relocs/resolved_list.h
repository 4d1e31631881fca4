// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/relocs/reloc_target.h"

namespace culink {

// --preserve-relocs: the entries of .nv.resolvedrela sections, which list what was folded.
[[nodiscard]] KeptRelocations list_resolved(const RelocationContext &context, Diagnostics &diag);

} // namespace culink
