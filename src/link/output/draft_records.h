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
  void fill(elf::SectionId id, const std::vector<OutInfo> &records);

private:
  [[nodiscard]] elf::SymbolId symbol_of(InfoWord::Names names, u32 id) const;
  void write(elf::SectionId id, const OutInfo &out);

  elf::ElfBuilder &elf_;
  const OutputSymbols &symbols_;
  std::vector<u8> records_; // of the section that is being filled
};

} // namespace culink
