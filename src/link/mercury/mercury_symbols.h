// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/plan_sass.h"

namespace culink {

// The tables of symbols of the Mercury plane.
struct MercurySymtab {
  elf::SectionId symbols; // .nv.merc.symtab
  elf::SectionId indices; // .nv.merc.symtab_shndx, in files with very many sections, or none
};

// Writes the symbols that the builder has, in its order, into the table of the Mercury plane.
// `counterpart_of`: by SectionId; none: the symbol's own section. Returns how many there are.
[[nodiscard]] u32 fill_mercury_symbols(const MercurySymtab &table,
                                       const std::vector<elf::SectionId> &counterpart_of,
                                       u64 null_symbol_value, elf::ElfBuilder &elf);

// Turns the builder's symbols, which are those of the Mercury plane, into those of the SASS plane.
void convert_symbols(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                     const SassPlan &sass, FileInProgress &file);

} // namespace culink
