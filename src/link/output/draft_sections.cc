// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and contents of the sections of a file. Pieces of the inputs are borrowed, not copied;
// what names a symbol or a string is a fixup, because numbers do not exist before the file is laid
// out. Files with one form of their code take every content in the section it belongs to; files
// with Mercury code send most of it to a counterpart, so callers say where contents go.
#include "link/output/draft_sections.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;
using Against = KeptRelocation::Against;

namespace {

// A relocation table is emitted if it has entries; other sections as Emit says.
bool is_part_of_file(const OutputPlan &plan, OutId id, bool has_entries) {
  const OutputSections &sections = plan.layout.sections;
  const OutSection &s = sections[id];
  if (s.emit == Emit::NameOnly || s.discarded())
    return false;
  if (id == sections.info)
    return !plan.info.module.empty();
  if (id == sections.prototype)
    return !plan.synthetic.prototypes.empty();
  return elf::is_relocation_table(s.type) ? has_entries : s.emit == Emit::Always || s.size != 0;
}

void fill_call_records(const Program &program, const std::vector<CallRecord> &records,
                       elf::SectionId out, FileInProgress &file) {
  const auto symbol = [&](FunctionId id) {
    return file.symbols.of_entity[program.calls.functions[id.value].value].value;
  };
  std::vector<u8> bytes(records.size() * 8);
  for (u64 i = 0; i < records.size(); ++i) {
    const CallRecord &record = records[i];
    const u64 offset = i * 8;
    if (record.first.valid())
      file.elf.add_fixup(out, {offset, Fixup::Kind::SymbolNumber, symbol(record.first)});
    switch (record.kind) {
    case CallRecord::Second::Marker:
      store_le(bytes.data() + offset + 4, record.second);
      break;
    case CallRecord::Second::Function:
      file.elf.add_fixup(
          out, {offset + 4, Fixup::Kind::SymbolNumber, symbol(FunctionId(record.second))});
      break;
    case CallRecord::Second::Prototype:
      file.elf.add_fixup(out, {offset + 4, Fixup::Kind::StringOffset, record.second});
      break;
    }
  }
  file.elf.append_copy(out, bytes);
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

std::vector<bool> find_emitted(const OutputPlan &plan) {
  std::vector<bool> out(plan.layout.sections.list.size(), false);
  for (const KeptRelocation &kept : plan.relocations.kept)
    out[kept.table.value] = true;
  for (const SlotTable &slots : plan.images.tables)
    out[slots.table.value] = true;
  for (u32 i = 0; i < out.size(); ++i)
    out[i] = is_part_of_file(plan, OutId(i), out[i]);
  return out;
}

elf::SectionSpec section_header(const OutputPlan &plan, const FileInProgress &file, OutId id) {
  const OutSection &s = plan.layout.sections[id];
  const bool emitted = file.is_emitted[id.value];
  elf::SectionSpec spec{.name = s.name,
                        .type = s.type,
                        .flags = s.flags,
                        .align = s.align,
                        .entsize = s.entsize,
                        .emitted = emitted,
                        .name_number = s.name_number};
  if (emitted && s.links_symtab)
    spec.link = file.elf.symtab();
  if (id.value < plan.info.text_flags.size())
    spec.flags |= plan.info.text_flags[id.value];
  if (s.function.valid())
    spec.info = elf::InfoField(file.symbols.of_entity[s.function.value], s.info_top);
  else if (emitted && s.target.valid())
    spec.info = file.section_of[s.target.value];
  // Unknown sections are among debug information.
  if (s.type == SectionType::Progbits && (s.flags & elf::kFlagAlloc) == 0)
    spec.bucket = elf::Bucket::Debug;
  return spec;
}

void finish_headers(const OutputPlan &plan, FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (file.rel_action.valid()) {
    file.elf.add_section(
        {.name = kRelAction, .type = SectionType::CudaRelocInfo, .align = 8, .entsize = 8});
    file.elf.append_copy(file.rel_action, plan.synthetic.rel_action);
  }
  if (!sections.cuinfo.valid())
    return;
  elf::SectionSpec &cuinfo = file.elf.section(file.section_of[sections.cuinfo.value]);
  cuinfo.link = file.section_of[sections.tkinfo.value];
  if (sections.compat.valid()) {
    cuinfo.flags |= elf::kFlagInfoLink;
    cuinfo.info = file.section_of[sections.compat.value];
  }
}

elf::SymbolId symbol_of(const OutputSymbols &symbols, const KeptRelocation &kept) {
  switch (kept.against) {
  case Against::Nothing:
    break;
  case Against::Entity:
    return symbols.of_entity[kept.id];
  case Against::Section:
    return symbols.of_section[kept.id];
  case Against::Instance:
    return symbols.of_instance[kept.id];
  }
  return {};
}

void fill_section(const OutputPlan &plan, OutId id, elf::SectionId to, RecordWriter &records,
                  elf::ElfBuilder &elf) {
  const OutSection &s = plan.layout.sections[id];
  if (s.target.valid() && plan.layout.sections.info_of[s.target.value] == id)
    records.fill(to, plan.info.store, plan.info.of_text[s.target.value]);
  for (u32 piece = 0; piece < s.pieces.size(); ++piece) {
    elf.append_zeros(to, s.pieces[piece].offset - elf.size(to));
    elf.append(to, s.pieces[piece].bytes);
  }
  if (s.size > elf.size(to))
    elf.append_zeros(to, s.size - elf.size(to));
}

void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, RecordWriter &records,
                    FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (sections.cuinfo.valid()) {
    file.elf.append_copy(to[sections.tkinfo.value], plan.synthetic.tkinfo);
    file.elf.append_copy(to[sections.cuinfo.value], plan.synthetic.cuinfo);
  }
  if (sections.compat.valid())
    file.elf.append_copy(to[sections.compat.value], compat);
  if (sections.info.valid())
    records.fill(to[sections.info.value], plan.info.store, plan.info.module);
}

void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to,
                FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  fill_call_records(program, plan.synthetic.callgraph, to[sections.callgraph.value], file);
  fill_call_records(program, plan.synthetic.prototypes, to[sections.prototype.value], file);
}

void fill_unified(const OutputPlan &plan, ContentOf to, FileInProgress &file) {
  for (const UnifiedIdentity &identity : plan.layout.sections.unified) {
    const elf::SectionId id = to[identity.section.value];
    elf::UnifiedEntry entry = identity.entry;
    entry.symbol = 0;
    if (identity.named.valid())
      file.elf.add_fixup(id, {file.elf.size(id), Fixup::Kind::SymbolNumber,
                              file.symbols.of_entity[identity.named.value].value});
    file.elf.append_copy(id, elf::encode_unified_entries({.entries = {entry}}));
  }
}

void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      FileInProgress &file, Diagnostics &diag) {
  const OutputSections &sections = plan.layout.sections;
  for (const KeptRelocation &kept : plan.relocations.kept) {
    const elf::SymbolId against = symbol_of(file.symbols, kept);
    if (kept.against == Against::Entity && !against.valid()) {
      const Entity &entity = program.symbols[EntityId(kept.id)];
      diag.report(DiagId::DeletedSymbol, {std::string(entity.name)})
          .at("declared in", program.objects[entity.first.object.value].origin());
      continue;
    }
    // A list of resolved relocations may name what nothing is left of.
    if (kept.against == Against::Section &&
        (!against.valid() || !file.elf.symbol(against).emitted)) {
      diag.report(DiagId::DeletedSymbol, {std::string(sections.list[kept.id].name)},
                  {fmt::format("listed in {} at {:#x}", sections[kept.table].name, kept.offset)});
      continue;
    }
    file.elf.add_relocation(to[kept.table.value], {kept.offset, kept.type, against, kept.addend});
  }
  for (const SlotTable &table : plan.images.tables)
    for (const SlotRelocation &entry : table.entries)
      file.elf.add_relocation(
          to[table.table.value],
          {entry.offset, entry.type, file.symbols.of_entity[entry.image.value], 0});
}

} // namespace culink
