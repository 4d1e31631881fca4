// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of relocations as they are in the file. The entries of a table need not follow each other
// in the plan, so a first walk over them measures the tables and a second one encodes.
#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/wire.h"
#include "link/output/draft_sections.h"

namespace culink {

using Against = KeptRelocation::Against;

namespace {

// True if the output has no symbol for what a relocation is against. A list of resolved relocations
// may name what nothing is left of.
bool names_nothing(const FileInProgress &file, const KeptRelocation &kept, elf::SymbolId against) {
  if (!against.valid())
    return kept.against == Against::Entity || kept.against == Against::Section;
  return kept.against == Against::Section && file.number_of(against) == 0;
}

// Where debug information or data refers to a section, the inputs are too far gone to tell which of
// them it was.
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
