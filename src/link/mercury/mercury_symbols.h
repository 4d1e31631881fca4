// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/plan_sass.h"

namespace culink {

// The tables of symbols of the Mercury plane, whose symbols have the numbers of .symtab.
struct MercurySymtab {
  elf::SectionId section; // .nv.merc.symtab
  elf::SectionId indices; // .nv.merc.symtab_shndx, in files with very many sections, or none
  elf::OutSymbols symbols;
  elf::SymbolNumbers numbers;
  std::vector<elf::SectionId> counterpart_of; // by SectionId; none: the symbol's own section
  u64 null_symbol_value = 0;
};

// The contents of these tables.
[[nodiscard]] std::vector<u8> encode_symbols(const MercurySymtab &table, const elf::ElfFile &file,
                                             const elf::ElfLayout &layout);
[[nodiscard]] std::vector<u8> encode_indices(const MercurySymtab &table, const elf::ElfFile &file,
                                             const elf::ElfLayout &layout);

// Turns the file's symbols, which are those of the Mercury plane, into those of the SASS plane.
void convert_symbols(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                     const SassPlan &sass, FileInProgress &file);

} // namespace culink
