// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records are the bytes of the file but for words that name symbols: these get their
// numbers here.
#include "link/output/draft_records.h"

namespace culink {

namespace {

// The number of the symbol that a word names; 0: it is not part of the output.
u32 number_of(const InfoWord &word, const OutputSymbols &symbols, const FileInProgress &file) {
  if (word.id == EntityId::kNone)
    return 0;
  switch (word.names) {
  case InfoWord::Names::Blank:
    return file.number_of(symbols.blank_of[word.id]);
  case InfoWord::Names::Bank:
    return file.number_of(symbols.of_section[word.id]);
  case InfoWord::Names::Entity:
    break;
  }
  return file.number_of(symbols.of_entity[word.id]);
}

} // namespace

RecordList store_numbers(RecordList records, const OutputSymbols &symbols,
                         const FileInProgress &file) {
  records.store_numbers([&](const InfoWord &word) { return number_of(word, symbols, file); });
  return records;
}

InfoPlan store_numbers(InfoPlan info, const FileInProgress &file, WorkerPool &pool) {
  constexpr u32 kTogether = 1024;
  info.module = store_numbers(std::move(info.module), file.symbols, file);
  pool.for_ranges(static_cast<u32>(info.of_function.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 f = begin; f < end; ++f)
      info.of_function[f] = store_numbers(std::move(info.of_function[f]), file.symbols, file);
  });
  return info;
}

} // namespace culink
