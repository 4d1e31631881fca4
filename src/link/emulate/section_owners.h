// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink::emulate {

// Aliases of functions that the emulated nvlink takes for the owners of the code, because they
// precede the function in the symbol table (Q107). None unless the dialect has that defect.
struct AliasOwners {
  std::vector<EntityId> aliases;
  // By EntityId of a function whose code is taken, the alias that has it: of several, the first.
  std::unordered_map<u32, EntityId> owner_of;
};

// `rank`: by EntityId of a function, its order in the symbol table, or kNoIndex.
[[nodiscard]] AliasOwners find_alias_owners(const Program &program, const Layout &layout,
                                            std::span<const u32> rank);

// The section of that name for the kernel with the code `text`, or none if there is none yet: its
// own, or where nvlink is emulated the first of that name (Q130).
[[nodiscard]] OutId section_of_kernel(const Program &program, const OutputSections &sections,
                                      std::string_view name, OutId text);
// The same, where the newest section of the name is known.
[[nodiscard]] OutId section_of_kernel(const Program &program, const OutputSections &sections,
                                      OutId newest, OutId text);

// A kernel's parameters in an object: `own`, or where nvlink is emulated the first of that name.
[[nodiscard]] const elf::Section &bank_of_kernel(const Program &program, const InputObject &object,
                                                 const elf::Section &own);

} // namespace culink::emulate
