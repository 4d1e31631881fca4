// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Words that name symbols get the numbers of these, or, where symbols
// have no numbers yet, are left to be filled in.
#include "link/output/draft_records.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"

namespace culink {

using elf::Fixup;

namespace {

// What is not part of the output has number 0.
elf::SymbolId symbol_of(const OutputSymbols &symbols, const InfoWord &word) {
  if (word.id == EntityId::kNone)
    return {};
  if (word.names == InfoWord::Names::Blank)
    return symbols.blank_of[word.id];
  return word.names == InfoWord::Names::Bank ? symbols.of_section[word.id]
                                             : symbols.of_entity[word.id];
}

bool store_words(MutableByteSpan bytes, std::span<const InfoWord> words,
                 const OutputSymbols &symbols, const elf::SymbolNumbers &numbers) {
  for (const InfoWord &word : words) {
    if (word.offset > bytes.size() || bytes.size() - word.offset < sizeof(u32))
      return false;
    if (const elf::SymbolId symbol = symbol_of(symbols, word); symbol.valid())
      store_le<u32>(bytes.data() + word.offset, numbers.of[symbol.value]);
  }
  return true;
}

} // namespace

void RecordWriter::fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words) {
  const u64 start = elf_.append(id, bytes);
  for (const InfoWord &word : words)
    if (const elf::SymbolId symbol = symbol_of(symbols_, word); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
}

bool store_numbers(InfoStore &store, const InfoList &list, const OutputSymbols &symbols,
                   const elf::SymbolNumbers &numbers) {
  return store_words(store.open_bytes(list), store.words(list), symbols, numbers);
}

void store_numbers(InfoStore &store, InfoList &list, const OutputSymbols &symbols,
                   const elf::SymbolNumbers &numbers, WorkerPool &pool) {
  constexpr u32 kTogether = 8192;
  const std::span<const InfoWord> words = store.words(list);
  const MutableByteSpan bytes = store.open_bytes(list);
  std::vector<u8> stored(words.size() / kTogether + 1, true);
  pool.for_ranges(static_cast<u32>(words.size()), kTogether, [&](u32 begin, u32 end) {
    stored[begin / kTogether] =
        store_words(bytes, words.subspan(begin, end - begin), symbols, numbers);
  });
  if (std::ranges::find(stored, 0) == stored.end())
    list.word_count = 0;
}

} // namespace culink
