// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Symbols have no numbers yet, so each leaves a word to be filled in.
#include "link/output/draft_records.h"

namespace culink {

using elf::Fixup;

// What is not part of the output has number 0.
elf::SymbolId RecordWriter::symbol_of(InfoWord::Names names, u32 id) const {
  if (id == EntityId::kNone)
    return {};
  if (names == InfoWord::Names::Blank)
    return symbols_.blank_of[id];
  return names == InfoWord::Names::Bank ? symbols_.of_section[id] : symbols_.of_entity[id];
}

void RecordWriter::fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words) {
  const u64 start = elf_.append(id, bytes);
  for (const InfoWord &word : words)
    if (const elf::SymbolId symbol = symbol_of(word.names, word.id); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
}

void RecordWriter::fill(elf::SectionId id, const InfoStore &store, const InfoList &list) {
  fill(id, store.bytes(list), store.words(list));
}

} // namespace culink
