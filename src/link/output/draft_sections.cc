// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and contents of the sections of a file. Pieces of the inputs are borrowed, not copied;
// what names a symbol or a string is a fixup, because numbers do not exist before the file is laid
// out. Files with one form of their code take every content in the section it belongs to; files
// with Mercury code send most of it to a counterpart, so callers say where contents go.
#include "link/output/draft_sections.h"

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;
using Against = KeptRelocation::Against;
using EntryList = elf::ElfBuilder::EntryList;

namespace {

// By one thread.
constexpr u32 kSectionsTogether = 2048;
constexpr u32 kEntriesTogether = 8192;

// A relocation table is emitted if it has entries; other sections as Emit says.
bool is_part_of_file(const OutputPlan &plan, const OutSection &s, OutId id, bool has_entries) {
  const OutputSections &sections = plan.layout.sections;
  if (s.emit == Emit::NameOnly || s.discarded())
    return false;
  if (id == sections.info)
    return !plan.info.module.empty();
  if (id == sections.prototype)
    return !plan.synthetic.prototypes.empty();
  return elf::is_relocation_table(s.type) ? has_entries : s.emit == Emit::Always || s.size != 0;
}

// `discarded`: how many of each range of sections have no id.
void number_sections(const OutputSections &sections, std::span<const u32> discarded,
                     EmittedSections &out, WorkerPool &pool) {
  std::vector<u32> starts(discarded.size());
  u32 left_out = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    starts[i] = out.next.value + static_cast<u32>(i) * kSectionsTogether - left_out;
    left_out += discarded[i];
  }
  out.next.value += sections.size() - left_out;
  pool.for_ranges(sections.size(), kSectionsTogether, [&](u32 begin, u32 end) {
    u32 next = starts[begin / kSectionsTogether];
    const bool all = discarded[begin / kSectionsTogether] == 0;
    for (u32 i = begin; i < end; ++i)
      if (all || !sections.list[i].discarded())
        out.section_of[i] = elf::SectionId(next++);
  });
}

// Fixups of a range of records that starts at `offset`, under numbers from `number` on.
EntryList put_calls(const Program &program, std::span<const CallRecord> records, u64 offset,
                    u32 number, FileInProgress &file) {
  const auto symbol = [&](FunctionId id) {
    return file.symbols.of_entity[program.calls.functions[id.value].value].value;
  };
  EntryList list;
  for (const CallRecord &record : records) {
    if (record.first.valid())
      file.elf.put_fixup(list, number, {offset, Fixup::Kind::SymbolNumber, symbol(record.first)});
    if (record.kind == CallRecord::Second::Function)
      file.elf.put_fixup(
          list, number + 1,
          {offset + 4, Fixup::Kind::SymbolNumber, symbol(FunctionId(record.second))});
    else if (record.kind == CallRecord::Second::Prototype)
      file.elf.put_fixup(list, number + 1, {offset + 4, Fixup::Kind::StringOffset, record.second});
    number += 2;
    offset += 8;
  }
  return list;
}

// At the end of a section. Everything is filled in later, except for markers, of which there are
// few.
void fill_call_records(const Program &program, std::span<const CallRecord> records,
                       elf::SectionId out, WorkerPool &pool, FileInProgress &file) {
  const u32 count = static_cast<u32>(records.size());
  const u64 start = file.elf.size(out);
  const u32 first = file.elf.make_room_for_fixups(u64{count} * 2, pool);
  std::vector<EntryList> lists(count / kEntriesTogether + 1);
  pool.for_ranges(count, kEntriesTogether, [&](u32 begin, u32 end) {
    lists[begin / kEntriesTogether] = put_calls(program, records.subspan(begin, end - begin),
                                                start + u64{begin} * 8, first + 2 * begin, file);
  });
  for (const EntryList &list : lists)
    file.elf.add_fixups(out, list);
  const auto fill_up_to = [&](u64 offset) {
    file.elf.append_zeros(out, start + offset - file.elf.size(out));
  };
  for (u32 i = 0; i < count; ++i)
    if (records[i].kind == CallRecord::Second::Marker) {
      std::array<u8, 4> marker{};
      store_le(marker.data(), records[i].second);
      fill_up_to(u64{i} * 8 + 4);
      file.elf.append_copy(out, marker);
    }
  fill_up_to(u64{count} * 8);
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

EmittedSections find_emitted(const OutputPlan &plan, elf::SectionId first, WorkerPool &pool) {
  const KeptRelocations &kept = plan.relocations.kept;
  const OutputSections &sections = plan.layout.sections;
  EmittedSections out{.is_emitted = std::vector<u8>(sections.size(), 0),
                      .section_of = std::vector<elf::SectionId>(sections.size()),
                      .next = first};
  std::atomic<bool> grouped = true;
  pool.for_ranges(static_cast<u32>(kept.size()), kEntriesTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) {
      if (i != 0 && kept[i].table == kept[i - 1].table)
        continue;
      std::atomic_ref<u8> has_entries(out.is_emitted[kept[i].table.value]);
      if (has_entries.exchange(1, std::memory_order_relaxed) != 0)
        grouped.store(false, std::memory_order_relaxed);
    }
  });
  out.relocations_grouped = grouped;
  for (const SlotTable &slots : plan.images.tables)
    out.is_emitted[slots.table.value] = 1;
  std::vector<u32> discarded(sections.size() / kSectionsTogether + 1, 0);
  pool.for_ranges(sections.size(), kSectionsTogether, [&](u32 begin, u32 end) {
    u32 count = 0;
    for (u32 i = begin; i < end; ++i) {
      u8 &emitted = out.is_emitted[i];
      emitted = is_part_of_file(plan, sections.list[i], OutId(i), emitted != 0);
      count += sections.list[i].discarded() ? 1 : 0;
    }
    discarded[begin / kSectionsTogether] = count;
  });
  number_sections(sections, discarded, out, pool);
  return out;
}

namespace {

inline elf::SectionSpec header_of(const OutSection &s, const OutputPlan &plan,
                                  const FileInProgress &file, OutId id) {
  const bool emitted = file.is_emitted[id.value] != 0;
  const std::vector<u64> &text_flags = plan.info.text_flags;
  // Unknown sections are among debug information.
  const bool is_debug = s.type == SectionType::Progbits && (s.flags & elf::kFlagAlloc) == 0;
  return {.name = s.name,
          .type = s.type,
          .name_number = s.name_number,
          .flags = s.flags | (id.value < text_flags.size() ? text_flags[id.value] : 0),
          .align = s.align,
          .entsize = s.entsize,
          .link = emitted && s.links_symtab ? file.elf.symtab() : elf::SectionId{},
          .info = s.function.valid()
                      ? elf::InfoField(file.symbols.of_entity[s.function.value], s.info_top)
                  : emitted && s.target.valid() ? elf::InfoField(file.section_of[s.target.value])
                                                : elf::InfoField(),
          .emitted = emitted,
          .bucket = is_debug ? std::optional(elf::Bucket::Debug) : std::nullopt};
}

} // namespace

elf::SectionSpec section_header(const OutputPlan &plan, const FileInProgress &file, OutId id) {
  return header_of(plan.layout.sections[id], plan, file, id);
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

namespace {

bool has_records(const OutputPlan &plan, const OutSection &section, OutId id) {
  return section.type == SectionType::CudaInfo && section.target.valid() &&
         plan.layout.sections[section.target].records == id;
}

} // namespace

// Sections that are more than a piece and zeros, which are few, are left to one thread: their lists
// share a table.
void add_sections(const Program &program, const OutputPlan &plan, RecordWriter &records,
                  WorkerPool &pool, FileInProgress &file) {
  const u32 count = plan.layout.sections.size();
  file.elf.add_sections(file.next_section.value - file.elf.section_count(), pool);
  records.make_room(plan.info, pool);
  std::vector<std::vector<OutId>> left(count / kSectionsTogether + 1);
  pool.for_ranges(count, kSectionsTogether, [&](u32 begin, u32 end) {
    const OutSection *sections = plan.layout.sections.list.data();
    const bool executable = program.policy.executable;
    for (u32 i = begin; i < end; ++i) {
      const OutSection &section = sections[i];
      if (section.discarded())
        continue;
      elf::SectionSpec header = header_of(section, plan, file, OutId(i));
      if (executable)
        header.type = type_in_executable(header.type);
      const elf::SectionId to = file.section_of[i];
      const ByteSpan bytes = section.pieces.first();
      const bool has_more = section.pieces.has_more();
      if (!has_more && !has_records(plan, section, OutId(i))) {
        file.elf.put_section(to, header, bytes, std::max<u64>(section.size, bytes.size()));
        continue;
      }
      file.elf.put_section(to, header);
      if (has_more || !bytes.empty())
        left[begin / kSectionsTogether].push_back(OutId(i));
      else
        fill_section(plan, OutId(i), to, records, file.elf);
    }
  });
  for (const std::vector<OutId> &range : left)
    for (const OutId id : range)
      fill_section(plan, id, file.section_of[id.value], records, file.elf);
}

void fill_section(const OutputPlan &plan, OutId id, elf::SectionId to, RecordWriter &records,
                  elf::ElfBuilder &elf) {
  const OutSection &s = plan.layout.sections[id];
  if (has_records(plan, s, id))
    records.fill(to, plan.info.store, plan.info.of_text[s.target.value]);
  for (u32 piece = 0; piece < s.pieces.size(); ++piece) {
    elf.append_zeros(to, s.pieces[piece].offset - elf.size(to));
    elf.append(to, s.pieces[piece].bytes);
  }
  if (s.size > elf.size(to))
    elf.append_zeros(to, s.size - elf.size(to));
}

void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, RecordWriter &records,
                    WorkerPool &pool, FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (sections.cuinfo.valid()) {
    file.elf.append_copy(to[sections.tkinfo.value], plan.synthetic.tkinfo);
    file.elf.append_copy(to[sections.cuinfo.value], plan.synthetic.cuinfo);
  }
  if (sections.compat.valid())
    file.elf.append_copy(to[sections.compat.value], compat);
  if (sections.info.valid())
    records.fill(to[sections.info.value], plan.info.store.bytes(plan.info.module),
                 plan.info.store.words(plan.info.module), pool);
}

void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to, WorkerPool &pool,
                FileInProgress &file, std::span<const AddedCall> added) {
  const OutputSections &sections = plan.layout.sections;
  const elf::SectionId out = to[sections.callgraph.value];
  std::span<const CallRecord> records = plan.synthetic.callgraph;
  if (!added.empty() && !records.empty()) {
    fill_call_records(program, records.first(1), out, pool, file); // which opens the list of calls
    records = records.subspan(1);
  }
  for (const AddedCall &call : added) {
    const u64 offset = file.elf.size(out);
    file.elf.add_fixup(
        out, {offset, Fixup::Kind::SymbolNumber, file.symbols.of_entity[call.caller.value].value});
    file.elf.add_fixup(out, {offset + 4, Fixup::Kind::SymbolNumber, call.callee.value});
    file.elf.append_zeros(out, 8);
  }
  fill_call_records(program, records, out, pool, file);
  fill_call_records(program, plan.synthetic.prototypes, to[sections.prototype.value], pool, file);
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

namespace {

// Whether the output has no symbol for what a relocation is against. A list of resolved relocations
// may name what nothing is left of.
bool names_nothing(const FileInProgress &file, const KeptRelocation &kept, elf::SymbolId against) {
  if (!against.valid())
    return kept.against == Against::Entity || kept.against == Against::Section;
  return kept.against == Against::Section && !file.elf.symbol(against).emitted;
}

// Where debug information or data refers to a section, the inputs are too far gone to tell which of
// them it was.
void report_deleted(const Program &program, const OutputSections &sections,
                    const KeptRelocation &kept, Diagnostics &diag) {
  if (kept.against == Against::Entity) {
    const Entity &entity = program.symbols[EntityId(kept.id)];
    diag.report(DiagId::DeletedSymbol, {std::string(entity.name)})
        .at("declared in", program.objects[entity.first.object.value].origin());
    return;
  }
  Diagnostic &message =
      diag.report(DiagId::DeletedSymbol, {std::string(sections.list[kept.id].name)},
                  {fmt::format("listed in {} at {:#x}", sections[kept.table].name, kept.offset)});
  const OutId user = sections[kept.table].target;
  if (user.valid() && sections[user].function.valid()) {
    message.at("used in", program.origin_of(program.function_of(sections[user].function)));
    return;
  }
  constexpr size_t kMost = 3;
  for (size_t i = 0; i < std::min(kMost, program.objects.size()); ++i)
    message.at("perhaps used in", program.objects[i].origin());
}

// Adds the relocations [begin, end), whole tables of them, under numbers from `number` on. Returns
// those that cannot be added.
std::vector<u32> put_relocations(std::span<const KeptRelocation> kept, u32 begin, u32 end,
                                 u32 number, ContentOf to, FileInProgress &file) {
  std::vector<u32> refused;
  for (u32 i = begin; i < end;) {
    const OutId table = kept[i].table;
    EntryList list;
    u32 count = 0;
    for (; i < end && kept[i].table == table; ++i) {
      const elf::SymbolId against = symbol_of(file.symbols, kept[i]);
      if (names_nothing(file, kept[i], against)) {
        refused.push_back(i);
        continue;
      }
      file.elf.put_relocation(list, number + i,
                              {kept[i].offset, kept[i].type, against, kept[i].addend});
      ++count;
    }
    file.elf.add_relocations(to[table.value], list, count);
  }
  return refused;
}

} // namespace

// A thread takes the tables that begin in its range. If the relocations of a table may be in
// several places, there is one range.
void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      WorkerPool &pool, FileInProgress &file, Diagnostics &diag) {
  const KeptRelocations &kept = plan.relocations.kept;
  const u32 count = static_cast<u32>(kept.size());
  const u32 number = file.elf.make_room_for_relocations(count, pool);
  const u32 together = file.relocations_grouped ? kEntriesTogether : std::max(count, 1u);
  const auto next_table = [&](u32 i, u32 limit) {
    while (i != 0 && i < limit && kept[i].table == kept[i - 1].table)
      ++i;
    return i;
  };
  std::vector<std::vector<u32>> refused(count / together + 1);
  pool.for_ranges(count, together, [&](u32 begin, u32 end) {
    const u32 first = next_table(begin, end); // a table of very many covers whole ranges
    if (first < end)
      refused[begin / together] =
          put_relocations(kept, first, next_table(end, count), number, to, file);
  });
  for (const std::vector<u32> &range : refused)
    for (const u32 i : range)
      report_deleted(program, plan.layout.sections, kept[i], diag);
  for (const SlotTable &table : plan.images.tables)
    for (const SlotRelocation &entry : table.entries)
      file.elf.add_relocation(
          to[table.table.value],
          {entry.offset, entry.type, file.symbols.of_entity[entry.image.value], 0});
}

} // namespace culink
