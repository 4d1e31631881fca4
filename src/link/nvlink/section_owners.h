// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "link/model/layout.h"
#include "link/model/output_sections.h"
#include "link/resolve/program.h"

namespace culink::nvlink {

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

// The section of a name for the kernel with the code `text`, or none if there is none yet: its own,
// or where nvlink is emulated the first of that name (Q130). `newest`: the newest one of the name.
[[nodiscard]] OutId section_of_kernel(const Program &program, const OutputSections &sections,
                                      OutId newest, OutId text);

// The sections after which one that does not exist is counted, if .symtab_shndx has a number for
// every symbol, also for those that need none.
[[nodiscard]] std::optional<std::vector<OutId>> uncounted_sections(const Program &program,
                                                                   const OutputSections &planned,
                                                                   const elf::SectionTable &file);

} // namespace culink::nvlink
