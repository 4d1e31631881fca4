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

  // Borrows the bytes of the store.
  void fill(elf::SectionId id, const InfoStore &store, const InfoList &list) {
    fill(id, store.bytes(list), store.words(list));
  }
  // Borrows the bytes; offsets of words are from their start.
  void fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words);

private:
  elf::ElfBuilder &elf_;
  const OutputSymbols &symbols_;
};

// Stores numbers of symbols into the records of a list. Returns whether all words are inside.
[[nodiscard]] bool store_numbers(InfoStore &store, const InfoList &list,
                                 const OutputSymbols &symbols, const elf::SymbolNumbers &numbers);
// The same for a list of many words, which are open no more if all are inside.
void store_numbers(InfoStore &store, InfoList &list, const OutputSymbols &symbols,
                   const elf::SymbolNumbers &numbers, WorkerPool &pool);

} // namespace culink
