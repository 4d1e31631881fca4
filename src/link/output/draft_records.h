// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "elf/elf_builder.h"
#include "link/output/output_symbols.h"
#include "model/records.h"

namespace culink {

// Puts records into sections of the output.
class RecordWriter {
public:
  RecordWriter(elf::ElfBuilder &elf, const OutputSymbols &symbols) : elf_(elf), symbols_(symbols) {}

  // Makes room for the words of all lists of code. From here on different threads may fill sections
  // from these lists, each of which is used at most once.
  void make_room(const InfoPlan &info, WorkerPool &pool);
  // Borrows the bytes of the store.
  void fill(elf::SectionId id, const InfoStore &store, const InfoList &list);
  // Borrows the bytes; offsets of words are from their start. With a pool, for many words.
  void fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words);
  void fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words, WorkerPool &pool);

private:
  [[nodiscard]] elf::SymbolId symbol_of(InfoWord::Names names, u32 id) const;
  [[nodiscard]] elf::ElfBuilder::EntryList put(std::span<const InfoWord> words, u64 start,
                                               u32 number);

  elf::ElfBuilder &elf_;
  const OutputSymbols &symbols_;
  std::vector<u32> first_number_; // by chunk of the store that there is room for
};

} // namespace culink
