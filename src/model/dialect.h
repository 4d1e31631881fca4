// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/types.h"
#include "model/file_kind.h"

namespace culink {

// The points at which nvlink decides in a way that nobody else would have to. compat fills this
// for a version of nvlink or for culink itself; passes read it and never ask for a version.
struct Dialect {
  // Identity in .note.nv.tkinfo.
  std::string tool;
  std::string tool_version;
  std::string tool_build;
  u32 toolkit = 130;        // the release the output claims to be of, times ten
  u32 newest_toolkit = 130; // whose objects we know

  // A relocatable link keeps every relocation that the next link needs. nvlink's does not.
  bool lossless_relocatable = true;
  // Barrier counts of toolkit 12 that a newer object's count hides are lost (Q063), and banks of
  // toolkits before 12.4 keep their incomplete flags (Q064).
  bool loses_old_barriers = false;
  bool copies_old_flags = false;
  // The symbols of section 0xfff2 look like common symbols (Q059).
  bool loses_section_fff2 = false;
  // A section that is not carried into the output is worth a warning.
  bool tells_what_is_left_out = true;
  // Objects of a newer toolkit are refused instead of linked with a warning.
  bool refuse_newer_toolkit = false;
  // A link of nothing is refused instead of making an empty image.
  bool refuse_empty_link = false;
  // Sound links on which nvlink gives up with an internal error are refused, too.
  bool repeat_internal_errors = false;
  // Where kernels are selected, equal __constant__ blocks are layout without moving the variables
  // in them, and vectors may be put where they cannot be loaded (Q050, Q051). Pointers in constants
  // to copies that were not used are lost (Q045).
  bool miscompiles_constants = false;
  // The device runtime library stays if something is undefined where it stands (Q083).
  bool decides_about_runtime_in_order = false;
  // In a link of machine code, Mercury code in front of the first object without any has left its
  // mark (Q100).
  bool forgets_mercury_marks = false;
  // Mercury code of the system's shared memory is what happened to be in memory (Q102).
  bool leaks_headers = false;
  // Call frames of two copies of a function are mixed (Q106), and those of a function whose second
  // name stands first are lost (Q107).
  bool joins_frames = false;
  // Local functions of one name in one object have records and relocations of the first (Q110).
  bool repeats_first_of_name = false;
  InputHabits input;
};

} // namespace culink
