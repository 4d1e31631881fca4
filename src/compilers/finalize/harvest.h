// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "elf/elf_view.h"
#include "link/model/finalized.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// Sets wrong code offsets in the table of registers to 0. nvlink reads them beyond the end of a
// table if a discarded definition is longer than the prevailing one (Q106).
void clear_unknown_locations(std::vector<u8> &linked_file);

// Extracts the functions of an object from an engine's answer. `object` is the prepared copy, in
// which sections have the numbers of the object. The answer is checked like any input file. It must
// have the code and the capsule of every function, or of the functions in the sections `wanted`.
[[nodiscard]] Result<FinalizedObject> harvest_functions(const elf::ElfView &object,
                                                        std::vector<u8> answer,
                                                        std::span<const u32> wanted = {});

// Extracts the debug information of the functions of a linked file, without their code.
[[nodiscard]] Result<FinalizedObject> harvest_debug(std::vector<u8> answer);

} // namespace culink
