// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bank of __constant__ variables that is too large. nvlink packs it (place_user_constants), but
// takes the alignment of a variable from its size, leaves symbols of variables that are gone in the
// file if relocations are preserved, and crashes in two cases (Q051).
#include "link/emulate/user_constants.h"

namespace culink::emulate {

bool accepts_guessed_alignment(const Program &program) {
  return program.dialect.has(Defect::GuessedAlignment);
}

bool keeps_dropped_symbols(const Program &program) {
  return program.options.preserve_relocs && program.dialect.has(Defect::GuessedAlignment);
}

// nvlink divides by zero if a used variable is in the local part of the symbol table, and crashes
// if a dropped variable holds pointers.
bool cannot_pack(const Program &program, const Entity &variable, bool used, bool has_pointers) {
  return program.dialect.has(Defect::PackingCrash) &&
         (used ? variable.local || variable.in_local_part : has_pointers);
}

} // namespace culink::emulate
