// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_file.h"
#include "link/merge/merge.h"
#include "link/place/place_shared.h"

namespace culink {

// The section that describes new relocations to loaders. It is the only section of the writer's
// own.
inline constexpr std::string_view kRelAction = ".nv.rel.action";

struct OutputSymbols {
  std::vector<elf::SymbolId> of_entity;   // by EntityId; none: not in the output
  std::vector<elf::SymbolId> of_section;  // by OutId
  std::vector<elf::SymbolId> of_instance; // by position in Layout::instances
  std::vector<elf::SymbolId> blank_of;    // by ObjectId; mostly empty
};

// Adds every symbol of the output to the file, in order. `rel_action`: .nv.rel.action, or none.
[[nodiscard]] OutputSymbols add_output_symbols(const Program &program, const Layout &layout,
                                               const SharedPlan &shared, OutId rel_action,
                                               elf::ElfFile &elf);

// Turns symbols that a link of Mercury code has added to the file into those of SASS in an
// executable.
void convert_to_sass_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                             const OutputSymbols &symbols, elf::ElfFile &elf);

} // namespace culink
