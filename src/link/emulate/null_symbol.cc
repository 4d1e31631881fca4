// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler constants of a discarded definition are part of the file, but no symbol names them.
// nvlink sets the value of symbol 0 to their offset, each time it places some; labels without a
// location, to which debug information refers, then have that value, too (Q019).
#include "link/emulate/null_symbol.h"

namespace culink::emulate {

u64 null_symbol_value(const Program &program, const FunctionConstants &placed, u64 known) {
  return program.dialect.has(Defect::NullSymbolValue) &&
                 placed.discarded_piece != FunctionConstants::kNone
             ? placed.offset + placed.discarded_piece
             : known;
}

} // namespace culink::emulate
