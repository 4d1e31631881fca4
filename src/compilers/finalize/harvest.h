// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "elf/elf_view.h"
#include "link/model/finalized.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// Sets to 0, in the table of registers, the offsets in the code that nvlink has read from memory
// behind the end of a table, because they are offsets in a discarded definition that is longer than
// the prevailing one (Q106).
void clear_unknown_locations(std::vector<u8> &linked_file);

// Takes the functions of an object out of what an engine made of it. `object` is the prepared copy,
// in which sections have the numbers of the object. The answer is checked like any file from
// outside; it must have the code and the capsule of every function, or of those in the sections
// `wanted`.
[[nodiscard]] Result<FinalizedObject> harvest_functions(const elf::ElfView &object,
                                                        std::vector<u8> answer,
                                                        std::span<const u32> wanted = {});

// Functions with what debug sections of a linked file say about them, without their code.
[[nodiscard]] Result<FinalizedObject> harvest_debug(std::vector<u8> answer);

} // namespace culink
