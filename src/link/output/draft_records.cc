// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Words that name symbols get the numbers of these, or, where symbols
// have no numbers yet, are left to be filled in.
#include "link/output/draft_records.h"

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

} // namespace

void RecordWriter::fill(elf::SectionId id, ByteSpan bytes, std::span<const InfoWord> words) {
  const u64 start = elf_.append(id, bytes);
  for (const InfoWord &word : words)
    if (const elf::SymbolId symbol = symbol_of(symbols_, word); symbol.valid())
      elf_.add_fixup(id, {start + word.offset, Fixup::Kind::SymbolNumber, symbol.value});
}

InfoPlan store_numbers(InfoPlan info, const OutputSymbols &symbols,
                       const elf::SymbolNumbers &numbers, WorkerPool &pool) {
  const auto number_of = [&](const InfoWord &word) {
    const elf::SymbolId symbol = symbol_of(symbols, word);
    return symbol.valid() ? numbers.of[symbol.value] : 0;
  };
  info.module.store_numbers(number_of);
  constexpr u32 kTogether = 1024;
  pool.for_ranges(static_cast<u32>(info.of_function.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 f = begin; f < end; ++f)
      info.of_function[f].store_numbers(number_of);
  });
  return info;
}

} // namespace culink
