// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Symbols have no numbers yet, so each leaves a word to be filled in. A
// word's place in the store says which entry of the builder is its own, so that no thread has to
// ask for one.
#include "link/output/draft_records.h"

#include <algorithm>

namespace culink {

using elf::Fixup;
using EntryList = elf::ElfBuilder::EntryList;

// What is not part of the output has number 0.
elf::SymbolId RecordWriter::symbol_of(InfoWord::Names names, u32 id) const {
  if (id == EntityId::kNone)
    return {};
  if (names == InfoWord::Names::Blank)
    return symbols_.blank_of[id];
  return names == InfoWord::Names::Bank ? symbols_.of_section[id] : symbols_.of_entity[id];
}

void RecordWriter::make_room(const InfoPlan &info, WorkerPool &pool) {
  constexpr u32 kTogether = 16384;
  const u32 count = static_cast<u32>(info.of_text.size());
  const u32 chunks = info.store.chunk_count();
  std::vector<std::vector<u32>> ends(count / kTogether + 1, std::vector<u32>(chunks));
  pool.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    std::vector<u32> &own = ends[begin / kTogether];
    for (u32 i = begin; i < end; ++i) {
      const InfoList &list = info.of_text[i];
      own[list.chunk] = std::max(own[list.chunk], list.first_word + list.word_count);
    }
  });
  u32 words = 0;
  for (u32 chunk = 0; chunk < chunks; ++chunk) {
    u32 end = 0;
    for (const std::vector<u32> &own : ends)
      end = std::max(end, own[chunk]);
    first_number_.push_back(words);
    words += end;
  }
  const u32 first = elf_.make_room_for_fixups(words, pool);
  for (u32 &number : first_number_)
    number += first;
}

EntryList RecordWriter::put(std::span<const InfoWord> words, u64 start, u32 number) {
  EntryList list;
  for (const InfoWord &word : words) {
    if (const elf::SymbolId symbol = symbol_of(word.names, word.id); symbol.valid())
      elf_.put_fixup(list, number, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
    ++number;
  }
  return list;
}

void RecordWriter::fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words) {
  const u64 start = elf_.append(id, bytes);
  for (const InfoWord &word : words)
    if (const elf::SymbolId symbol = symbol_of(word.names, word.id); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
}

void RecordWriter::fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words,
                        WorkerPool &pool) {
  constexpr u32 kTogether = 8192;
  const u32 count = static_cast<u32>(words.size());
  const u64 start = elf_.append(id, bytes);
  const u32 first = elf_.make_room_for_fixups(count, pool);
  std::vector<EntryList> lists(count / kTogether + 1);
  pool.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    lists[begin / kTogether] = put(words.subspan(begin, end - begin), start, first + begin);
  });
  for (const EntryList &list : lists)
    elf_.add_fixups(id, list);
}

void RecordWriter::fill(elf::SectionId id, const InfoStore &store, const InfoList &list) {
  if (list.chunk >= first_number_.size())
    return fill(id, store.bytes(list), store.words(list));
  const u64 start = elf_.append(id, store.bytes(list));
  elf_.add_fixups(id, put(store.words(list), start, first_number_[list.chunk] + list.first_word));
}

} // namespace culink
