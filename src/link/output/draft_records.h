// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf/elf_builder.h"
#include "link/output/output_symbols.h"
#include "model/records.h"

namespace culink {

// Puts records into sections of the output whose symbols have no numbers yet.
class RecordWriter {
public:
  RecordWriter(elf::ElfBuilder &elf, const OutputSymbols &symbols) : elf_(elf), symbols_(symbols) {}

  // Borrows the bytes of the list.
  void fill(elf::SectionId id, const RecordList &list) { fill(id, list.bytes(), list.words()); }
  // Borrows the bytes; offsets of words are from their start.
  void fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words);

private:
  elf::ElfBuilder &elf_;
  const OutputSymbols &symbols_;
};

// The records with the numbers of symbols stored.
[[nodiscard]] InfoPlan store_numbers(InfoPlan info, const OutputSymbols &symbols,
                                     const elf::SymbolNumbers &numbers, WorkerPool &pool);

} // namespace culink
