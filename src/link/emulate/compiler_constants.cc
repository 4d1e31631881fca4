// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler constants (bank 2) of weak functions. Branch tables of Mercury code have relocations.
// Those of an overridden definition stay as far as the new tables reach, and clear their fields:
// the function then jumps to its own beginning (Q040).
#include "link/emulate/compiler_constants.h"

namespace culink::emulate {

bool keeps_overridden_relocations(const Program &program) {
  return program.dialect.has(Defect::OverriddenBranchTables);
}

} // namespace culink::emulate
