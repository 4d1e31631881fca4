// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler constants (bank 2) of weak functions. Branch tables of Mercury code have relocations.
// Those of an overridden definition stay as far as the new tables reach, and clear their fields:
// the function then jumps to its own beginning (Q040). Constants of a discarded definition are part
// of the file, but no symbol names them: nvlink sets the value of symbol 0 to their offset, each
// time it places some. Labels without a location, to which debug information refers, have that
// value, too (Q019).
#include "link/emulate/compiler_constants.h"

namespace culink::emulate {

bool keeps_overridden_relocations(const Program &program) {
  return program.policy.keeps_overridden_tables;
}

u64 null_symbol_value(const Program &program, const FunctionConstants &placed, u64 known) {
  return program.policy.null_symbol_has_value && placed.discarded_piece != FunctionConstants::kNone
             ? placed.offset + placed.discarded_piece
             : known;
}

} // namespace culink::emulate
