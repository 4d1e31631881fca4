// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How files of one release of the CUDA toolkit look, where releases differ and none is wrong. A row
// of the table in compat/releases.cc. nvlink writes its own release; culink the release of the
// newest object, so that whatever takes the objects takes the result.
#pragma once

#include <span>

#include "elf/records/nv_compat.h"

namespace culink {

// What becomes of .nv.compat.
struct CompatRules {
  std::span<const elf::CompatAttribute> drops;      // in every file
  std::span<const elf::CompatAttribute> sass_drops; // in files of SASS alone
  std::span<const elf::CompatRecord> adds;          // where no object has the attribute
};

struct Release {
  u32 toolkit = 130; // times ten
  CompatRules compat;
  // Where dynamic shared memory follows, the size of a kernel's own is rounded up to its alignment.
  bool rounds_shared_size = false;
  // The list of undefined callees of a program's only kernel begins with the last one read.
  bool reverses_externs = true;
  // Weak symbols stand in the local part of the symbol table.
  bool weak_among_locals = true;
};

} // namespace culink
