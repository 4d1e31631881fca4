// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records as bytes. Symbols have no numbers yet, so each leaves a word to be filled in.
#include "link/draft_records.h"

#include <algorithm>

#include "base/bytes.h"
#include "elf/codec.h"

namespace culink {

using elf::Fixup;

void RecordWriter::write(elf::SectionId id, const OutInfo &record) {
  const auto word = [&](u32 value) { elf::append_le(records_, value); };
  // What is not part of the output has number 0.
  const auto number = [&](elf::SymbolId symbol_id) {
    if (symbol_id.valid())
      elf_.add_fixup(id, {records_.size(), Fixup::Kind::SymbolNumber, symbol_id.value});
    word(0);
  };
  const auto symbol_of = [&]() {
    if (record.kind == OutInfo::Kind::Bank)
      return record.section.valid() ? symbols_.of_section[record.section.value] : elf::SymbolId{};
    return record.entity.valid() ? symbols_.of_entity[record.entity.value] : elf::SymbolId{};
  };
  const auto head = [&](u64 size) {
    word(static_cast<u32>(record.format) | static_cast<u32>(record.attribute) << 8 |
         static_cast<u32>(size) << 16);
  };
  switch (record.kind) {
  case OutInfo::Kind::Verbatim:
    head(record.format == elf::RecordFormat::Sized ? record.payload_size : record.value);
    if (record.format == elf::RecordFormat::Sized)
      elf::append_bytes(records_, record.payload());
    break;
  case OutInfo::Kind::Word:
    head(4);
    word(record.word);
    break;
  case OutInfo::Kind::Symbol:
  case OutInfo::Kind::Bank:
    head(record.payload_size == 0 ? 8 : record.payload_size);
    number(symbol_of());
    if (record.payload_size == 0 || record.payload_size >= 8)
      word(record.word);
    if (record.payload_size > 4)
      elf::append_bytes(records_, record.payload().subspan(std::min<u64>(record.payload_size, 8)));
    break;
  case OutInfo::Kind::Symbols:
    head(record.entities.list().size() * 4);
    for (const EntityId entity : record.entities.list())
      number(entity.valid() ? symbols_.of_entity[entity.value] : elf::SymbolId{});
    break;
  }
}

void RecordWriter::fill(elf::SectionId id, const std::vector<OutInfo> &records) {
  records_.clear();
  for (const OutInfo &record : records)
    write(id, record);
  elf_.append_copy(id, records_);
}

} // namespace culink
