// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_builder.h"
#include "link/merge/merge.h"
#include "link/place/place_shared.h"

namespace culink {

// The section that tells loaders how to apply new relocations; the writer has no other of its own.
inline constexpr std::string_view kRelAction = ".nv.rel.action";

struct OutputSymbols {
  RawVector<elf::SymbolId> of_entity;     // by EntityId; none: no symbol is left of it
  RawVector<elf::SymbolId> of_section;    // by OutId
  std::vector<elf::SymbolId> of_instance; // by position in Layout::instances
  std::vector<elf::SymbolId> blank_of;    // by ObjectId; mostly empty
};

// Gives every symbol of the output to the writer, in order. The sections themselves may follow
// later, under the ids that are given here.
[[nodiscard]] OutputSymbols
add_output_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                   std::span<const elf::SectionId> section_of, elf::SectionId rel_action,
                   std::span<const u8> is_emitted, WorkerPool &pool, elf::ElfBuilder &elf);

// Turns symbols that a link of Mercury code has given the builder into those of SASS in an
// executable.
void convert_to_sass_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                             const OutputSymbols &symbols, elf::ElfBuilder &elf);

} // namespace culink
