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

  // Borrows the bytes of the store.
  void fill(elf::SectionId id, const InfoStore &store, const InfoList &list);
  // Borrows the bytes; offsets of words are from their start.
  void fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words);

private:
  [[nodiscard]] elf::SymbolId symbol_of(InfoWord::Names names, u32 id) const;

  elf::ElfBuilder &elf_;
  const OutputSymbols &symbols_;
};

} // namespace culink
