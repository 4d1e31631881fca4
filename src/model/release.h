// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How files of one release of the CUDA toolkit look, where releases differ and none is wrong. A row
// of the table in compat/releases.cc. nvlink writes its own release; culink the release of the
// newest object, so that whatever takes the objects takes the result.
#pragma once

#include <span>

#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"

namespace culink {

// What becomes of .nv.compat.
struct CompatRules {
  std::span<const elf::CompatAttribute> drops;      // in every file
  std::span<const elf::CompatAttribute> sass_drops; // in files of SASS alone
  std::span<const elf::CompatRecord> adds;          // what a file without the attribute stands for
  std::span<const elf::CompatAttribute> unanimous;  // only where every object has it
  std::span<const elf::CompatRecord> finalizer;     // what finalizing Mercury code adds
  std::span<const elf::CompatRecord> assumes;       // the same, where a file has other attributes
  // The version of attribute 13 from which a link for sm_100a or sm_120a clears the shortcut of the
  // other chip of the family. 0: a link does so without the attribute, too.
  u16 excluding_version = 0x101;
};

struct Release {
  // ABI 7, for targets before sm_100: no notes and no .nv.compat; the header has the toolkit, the
  // virtual architecture and the mode of textures, flags of code have the number of barriers.
  bool old_abi = false;
  u32 toolkit = 130; // times ten
  CompatRules compat;
  // Code for one chip (sm_90a) is linked for others of its number and family, too.
  bool accelerates_any_target = true;
  // Where dynamic shared memory follows, the size of a kernel's own is rounded up to its alignment.
  bool rounds_shared_size = false;
  // The list of undefined callees of a program's only kernel begins with the last one read.
  bool reverses_externs = true;
  // What finalizing adds to the records of each function where the compiler has not.
  std::span<const elf::InfoRecord> finalizer_records;
  // No instruction keeps the driver from taking shortcuts with finalized code.
  bool finalizes_any_code = false;
  // The call graph and prototypes have counterparts on the Mercury plane.
  bool mirrors_calls = false;
  // Tables with addends leave the names of tables without behind (Q004).
  bool names_rel_tables = true;
  // In files with Mercury code: the symbol table of the Mercury plane, then counterparts in the
  // order of their sections, no names that nobody uses, and no bytes of memory.
  bool compacts_planes = false;
  // Such files have .debug_info once for both planes.
  bool shares_debug_info = false;
  // On the SASS plane, units of line tables without code end a sequence all the same.
  bool ends_empty_lines = false;
  // Definitions without initial values prevail over common symbols.
  bool zeroed_data_prevails = false;
  // Weak symbols stand in the local part of the symbol table.
  bool weak_among_locals = true;
};

} // namespace culink
