// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and contents of the sections of a file. Pieces of the inputs are borrowed, not copied.
// Files with one form of their code take every content in the section it belongs to; files with
// Mercury code send most contents to a counterpart, so callers pass the destination. Symbols have
// their numbers by now.
#include "link/output/draft_sections.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/wire.h"
#include "support/bytes.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;

namespace {

// A range of records as bytes. The offsets of strings are filled in later.
void append_calls(const Program &program, std::span<const CallRecord> records, elf::SectionId out,
                  FileInProgress &file) {
  const auto number_of = [&](FunctionId id) {
    return file.number_of(file.symbols.of_entity[program.calls.functions[id.value].value]);
  };
  u64 offset = file.elf.sections[out].size;
  u8 *bytes = file.elf.sections.append_room(out, records.size() * 8).data();
  for (const CallRecord &record : records) {
    u32 second = 0;
    switch (record.kind) {
    case CallRecord::Second::Marker:
      second = record.second;
      break;
    case CallRecord::Second::Function:
      second = number_of(FunctionId(record.second));
      break;
    case CallRecord::Second::Prototype:
      file.elf.sections.add_fixup(out, {offset + 4, Fixup::Kind::StringOffset, record.second});
      break;
    }
    store_le(bytes, record.first.valid() ? number_of(record.first) : 0);
    store_le(bytes + 4, second);
    bytes += 8;
    offset += 8;
  }
}

} // namespace

SectionType type_in_executable(SectionType type) {
  const u32 number = static_cast<u32>(type);
  if (number >= static_cast<u32>(SectionType::CudaConstantB0) &&
      number <= static_cast<u32>(SectionType::MercuryConstantTools))
    return SectionType::Progbits;
  switch (type) {
  case SectionType::CudaGlobalInit:
    return SectionType::Progbits;
  case SectionType::CudaGlobal:
  case SectionType::CudaShared:
  case SectionType::CudaReservedShared:
  case SectionType::CudaLocal:
    return SectionType::Nobits;
  default:
    return type;
  }
}

void finish_headers(const Program &program, const OutputPlan &plan, FileInProgress &file) {
  const OutputSections &planned = plan.layout.sections;
  elf::SectionTable &sections = file.elf.sections;
  const std::vector<u64> &text_flags = plan.info.text_flags;
  for (u32 i = elf::SectionTable::kOwnTables; i < planned.details.size(); ++i) {
    OutSection &section = sections[OutId(i)];
    const SectionDetails &details = planned.details[i];
    if (!section.emitted())
      continue;
    // Unknown sections are among debug information.
    if (section.type == SectionType::Progbits && (section.flags & elf::kFlagAlloc) == 0)
      section.bucket = elf::Bucket::Debug;
    if (i < text_flags.size())
      section.flags |= text_flags[i];
    if (details.function.valid())
      section.info =
          elf::InfoField(file.symbols.of_entity[details.function.value], details.info_top);
    else if (const OutId target = section.target(); target.valid() && sections[target].discarded())
      section.info = {};
    if (program.policy.executable)
      section.type = type_in_executable(section.type);
  }
  if (!planned.cuinfo.valid())
    return;
  OutSection &cuinfo = sections[planned.cuinfo];
  cuinfo.link = planned.tkinfo;
  if (planned.compat.valid()) {
    cuinfo.flags |= elf::kFlagInfoLink;
    cuinfo.info = planned.compat;
  }
  file.elf.flags_section = planned.cuinfo;
}

namespace {

bool has_records(const OutputSections &planned, const OutSection &section, OutId id) {
  return section.type == SectionType::CudaInfo && section.target().valid() &&
         planned.records(section.target()) == id;
}

ByteSpan records_of(const Program &program, const OutputPlan &plan, OutId text) {
  const EntityId function = plan.layout.sections.function(text);
  return plan.info.of_function[program.function_of(function).value].bytes();
}

} // namespace

void fill_records(const Program &program, const OutputPlan &plan, FileInProgress &file) {
  const OutputSections &planned = plan.layout.sections;
  for (u32 i = elf::SectionTable::kOwnTables; i < planned.details.size(); ++i)
    if (OutSection &section = file.elf.sections[OutId(i)];
        has_records(planned, section, OutId(i))) {
      section.first = records_of(program, plan, section.target());
      section.size = std::max<u64>(section.size, section.first.size());
    }
}

void fill_section(const Program &program, const OutputPlan &plan, OutId id, OutId to,
                  elf::SectionTable &sections) {
  const OutputSections &planned = plan.layout.sections;
  const OutSection &section = planned[id];
  if (has_records(planned, section, id))
    sections.append(to, records_of(program, plan, section.target()));
  for (const Piece &piece : planned.table.pieces(id)) {
    sections[to].size = piece.offset;
    sections.append(to, piece.bytes);
  }
  sections[to].size = std::max(sections[to].size, section.size);
}

void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (sections.cuinfo.valid()) {
    file.elf.sections.append_copy(to(sections.tkinfo), plan.synthetic.tkinfo);
    file.elf.sections.append_copy(to(sections.cuinfo), plan.synthetic.cuinfo);
  }
  if (sections.compat.valid())
    file.elf.sections.append_copy(to(sections.compat), compat);
  if (sections.info.valid())
    file.elf.sections.append(to(sections.info), plan.info.module.bytes());
}

void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to, FileInProgress &file,
                std::span<const AddedCall> added) {
  const OutputSections &sections = plan.layout.sections;
  const elf::SectionId out = to(sections.callgraph);
  std::span<const CallRecord> records = plan.synthetic.callgraph;
  if (!added.empty() && !records.empty()) {
    append_calls(program, records.first(1), out, file); // which opens the list of calls
    records = records.subspan(1);
  }
  for (const AddedCall &call : added) {
    std::array<u8, 8> bytes;
    store_le(bytes.data(), file.number_of(file.symbols.of_entity[call.caller.value]));
    store_le(bytes.data() + 4, file.number_of(call.callee));
    file.elf.sections.append_copy(out, bytes);
  }
  append_calls(program, records, out, file);
  append_calls(program, plan.synthetic.prototypes, to(sections.prototype), file);
}

void fill_unified(const OutputPlan &plan, ContentOf to, FileInProgress &file) {
  for (const UnifiedIdentity &identity : plan.layout.sections.unified) {
    elf::UnifiedEntry entry = identity.entry;
    entry.symbol =
        identity.named.valid() ? file.number_of(file.symbols.of_entity[identity.named.value]) : 0;
    file.elf.sections.append_copy(to(identity.section),
                                  elf::encode_rows(elf::UnifiedSection{.records = {entry}}));
  }
}

// .nv.info records are the bytes of the file except for words that name symbols: these get their
// numbers here.

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

// Tables of relocations as they are in the file. The entries of a table need not follow each other
// in the plan, so a first walk over them measures the tables and a second one encodes.

using Against = KeptRelocation::Against;

namespace {

// True if the output does not have the symbol that a relocation refers to. A list of resolved
// relocations may name symbols that were removed.
bool names_nothing(const FileInProgress &file, const KeptRelocation &kept, elf::SymbolId against) {
  if (!against.valid())
    return kept.against == Against::Entity || kept.against == Against::Section;
  return kept.against == Against::Section && file.number_of(against) == 0;
}

// If debug information or data refers to a removed section, the input with the reference is not
// known here; the first ones are named.
void report_deleted(const Program &program, const OutputSections &planned,
                    const elf::SectionTable &sections, const KeptRelocation &kept,
                    Diagnostics &diag) {
  if (kept.against == Against::Entity) {
    const Entity &entity = program.symbols[EntityId(kept.id)];
    diag.report(DiagId::DeletedSymbol, {std::string(entity.name)})
        .at("declared in", program.objects[entity.first.object.value].origin());
    return;
  }
  Diagnostic &message =
      diag.report(DiagId::DeletedSymbol, {std::string(sections.name(OutId(kept.id)))},
                  {fmt::format("listed in {} at {:#x}", sections.name(kept.table), kept.offset)});
  const OutId user = sections[kept.table].target();
  if (user.valid() && planned.function(user).valid()) {
    message.at("used in", program.origin_of(program.function_of(planned.function(user))));
    return;
  }
  constexpr size_t kMost = 3;
  for (size_t i = 0; i < std::min(kMost, program.objects.size()); ++i)
    message.at("perhaps used in", program.objects[i].origin());
}

u64 entry_size(const elf::OutSection &table) {
  return elf::is_rela(table.type) ? sizeof(elf::wire::Rela64) : sizeof(elf::wire::Rel64);
}

} // namespace

void RelocationTables::count(OutId table) {
  next_of_[table.value].size += entry_size(file_.elf.sections[table]);
}

void RelocationTables::allocate() {
  elf::SectionTable &sections = file_.elf.sections;
  for (u32 i = 0; i < next_of_.size(); ++i)
    if (Next &next = next_of_[i]; next.size != 0) {
      next.offset = sections[OutId(i)].size;
      next.entry = sections.append_room(OutId(i), next.size).data();
    }
}

void RelocationTables::add(OutId table, const elf::RelocationSpec &entry) {
  elf::SectionTable &sections = file_.elf.sections;
  const u64 size = entry_size(sections[table]);
  const u32 symbol = file_.number_of(entry.symbol);
  Next &next = next_of_[table.value];
  if (entry.symbol.valid() && symbol == 0) // which lay_out() reports
    sections.add_fixup(table, {next.offset + offsetof(elf::wire::Rel64, r_info) + 4,
                               elf::Fixup::Kind::RelocationSymbol, entry.symbol.value});
  store_fields<elf::wire::Rel64>(next.entry, entry.offset, u64{symbol} << 32 | entry.type);
  if (size == sizeof(elf::wire::Rela64))
    store_le(next.entry + sizeof(elf::wire::Rel64), entry.addend);
  next.offset += size;
  next.entry += size;
}

void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      FileInProgress &file, Diagnostics &diag) {
  RelocationTables tables(file);
  bool any_deleted = false;
  for (const KeptRelocation &kept : plan.relocations.kept) {
    if (!names_nothing(file, kept, symbol_of(file.symbols, kept))) {
      tables.count(to(kept.table));
      continue;
    }
    report_deleted(program, plan.layout.sections, file.elf.sections, kept, diag);
    any_deleted = true;
  }
  for (const SlotTable &table : plan.images.tables)
    for (u32 i = 0; i < table.entries.size(); ++i)
      tables.count(to(table.table));
  tables.allocate();
  for (const KeptRelocation &kept : plan.relocations.kept)
    if (const elf::SymbolId symbol = symbol_of(file.symbols, kept);
        !any_deleted || !names_nothing(file, kept, symbol))
      tables.add(to(kept.table), {kept.offset, kept.type, symbol, kept.addend});
  for (const SlotTable &table : plan.images.tables)
    for (const SlotRelocation &entry : table.entries)
      tables.add(to(table.table),
                 {entry.offset, entry.type, file.symbols.of_entity[entry.image.value], 0});
}

} // namespace culink
