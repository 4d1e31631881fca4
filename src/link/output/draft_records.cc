// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Symbols have no numbers yet, so each leaves a word to be filled in.
#include "link/output/draft_records.h"

#include "base/bytes.h"
#include "elf/codec.h"

namespace culink {

using elf::Fixup;

// What is not part of the output has number 0.
elf::SymbolId RecordWriter::symbol_of(InfoWord::Names names, u32 id) const {
  if (id == EntityId::kNone)
    return {};
  return names == InfoWord::Names::Bank ? symbols_.of_section[id] : symbols_.of_entity[id];
}

void RecordWriter::fill(elf::SectionId id, const InfoStore &store, const InfoList &list) {
  const u64 start = elf_.append(id, store.bytes(list));
  for (const InfoWord &word : store.words(list))
    if (const elf::SymbolId symbol = symbol_of(word.names, word.id); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
}

void RecordWriter::write(elf::SectionId id, const OutInfo &out) {
  const u64 start = records_.size();
  elf::append_record(records_, out.record);
  for (const InfoWord &word : out.words) {
    store_le<u32>(records_.data() + start + word.offset, 0);
    if (const elf::SymbolId symbol = symbol_of(word.names, word.id); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
  }
}

void RecordWriter::fill(elf::SectionId id, const std::vector<OutInfo> &records) {
  records_.clear();
  for (const OutInfo &record : records)
    write(id, record);
  elf_.append_copy(id, records_);
}

} // namespace culink
