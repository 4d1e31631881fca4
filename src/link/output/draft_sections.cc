// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and contents of the sections of a file. Pieces of the inputs are borrowed, not copied.
// Files with one form of their code take every content in the section it belongs to; files with
// Mercury code send most contents to a counterpart, so callers say where they go. Symbols have
// their numbers by now.
#include "link/output/draft_sections.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

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

} // namespace culink
