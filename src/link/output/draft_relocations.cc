// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of relocations. Where symbols have numbers, an entry of the file takes the place of the
// plan's relocation, which is no smaller: nothing is copied, and a table borrows its entries.
#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/wire.h"
#include "link/output/draft_sections.h"

namespace culink {

using Against = KeptRelocation::Against;

namespace {

constexpr u32 kRelocationsPut = 8192; // entries, by one thread

// Whether the output has no symbol for what a relocation is against. A list of resolved relocations
// may name what nothing is left of.
bool names_nothing(const FileInProgress &file, const KeptRelocation &kept, elf::SymbolId against) {
  if (!against.valid())
    return kept.against == Against::Entity || kept.against == Against::Section;
  return kept.against == Against::Section && !file.elf.is_emitted(against);
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
      diag.report(DiagId::DeletedSymbol, {std::string(sections.name(OutId(kept.id)))},
                  {fmt::format("listed in {} at {:#x}", sections.name(kept.table), kept.offset)});
  const OutId user = sections[kept.table].target;
  if (user.valid() && sections[user].function.valid()) {
    message.at("used in", program.origin_of(program.function_of(sections[user].function)));
    return;
  }
  constexpr size_t kMost = 3;
  for (size_t i = 0; i < std::min(kMost, program.objects.size()); ++i)
    message.at("perhaps used in", program.objects[i].origin());
}

void add_relocation(ContentOf to, const KeptRelocation &kept, FileInProgress &file) {
  file.elf.add_relocation(to[kept.table.value],
                          {kept.offset, kept.type, symbol_of(file.symbols, kept), kept.addend});
}

void add_slots(const OutputPlan &plan, ContentOf to, FileInProgress &file) {
  for (const SlotTable &table : plan.images.tables)
    for (const SlotRelocation &entry : table.entries)
      file.elf.add_relocation(
          to[table.table.value],
          {entry.offset, entry.type, file.symbols.of_entity[entry.image.value], 0});
}

// Relocations of one table or more, in the order of the plan.
struct TableRange {
  u32 begin = 0;
  u32 end = 0;
  // If the first table begins in an earlier range: its section, whether its relocations become
  // entries where they are, and these, which are added to those of that range later.
  elf::SectionId continued = {};
  bool in_place = true;
  ByteSpan continuation = {};
  // What is not encoded: relocations against nothing, and those that the builder refuses, or writes
  // in a table of its own kind.
  std::vector<KeptRelocation> refused;
  std::vector<KeptRelocation> others;
};

static_assert(sizeof(KeptRelocation) >= sizeof(elf::wire::Rela64));

u64 entry_size(const elf::SectionSpec &header) {
  return elf::is_rela(header.type) ? sizeof(elf::wire::Rela64) : sizeof(elf::wire::Rel64);
}

// Threads may only fill sections that are empty.
bool is_encoded_in_place(const FileInProgress &file, elf::SectionId table) {
  const elf::SectionSpec &header = file.elf.kind_of(table);
  return header.entsize == entry_size(header) &&
         (file.elf.size(table) == 0 || !file.relocations_grouped);
}

// The entries of one table, from `i` on. Returns the end of the table.
u32 encode_table(std::span<KeptRelocation> kept, u32 i, TableRange &range, FileInProgress &file) {
  const OutId table = kept[i].table;
  const elf::SectionId to = file.section_of[table.value];
  const elf::SectionSpec &header = file.elf.kind_of(to);
  const bool has_addends = elf::is_rela(header.type);
  const u64 size = entry_size(header);
  const bool continues = range.continued.valid() && i == range.begin;
  const bool in_place = continues ? range.in_place : is_encoded_in_place(file, to);
  u8 *const entries = reinterpret_cast<u8 *>(&kept[i]);
  u8 *next = entries; // never behind the relocation that is read
  const u32 *numbers = file.numbers->of.data();
  for (; i < range.end && kept[i].table == table; ++i) {
    const KeptRelocation &relocation = kept[i];
    const elf::SymbolId against = symbol_of(file.symbols, relocation);
    const u32 number = against.valid() ? numbers[against.value] : 0;
    if (names_nothing(file, relocation, against)) {
      range.refused.push_back(relocation);
      continue;
    }
    if ((against.valid() && number == 0) || !in_place) [[unlikely]] {
      range.others.push_back(relocation);
      continue;
    }
    // All is read before the first byte of the entry is written.
    const i64 addend = relocation.addend;
    store_fields<elf::wire::Rel64>(next, relocation.offset, u64{number} << 32 | relocation.type);
    if (has_addends)
      store_le(next + sizeof(elf::wire::Rel64), addend);
    next += size;
  }
  if (continues)
    range.continuation = {entries, next};
  else if (next != entries)
    file.elf.append(to, {entries, next});
  return i;
}

// The parts of the plan that threads take. If the relocations of a table may be in several places,
// there is one range. A table of many is in several ranges.
std::vector<TableRange> find_ranges(std::span<const KeptRelocation> kept,
                                    const FileInProgress &file) {
  const u32 count = static_cast<u32>(kept.size());
  const u32 together = file.relocations_grouped ? kRelocationsPut : std::max(count, 1u);
  std::vector<TableRange> out;
  for (u32 begin = 0, end; begin < count; begin = end) {
    end = begin + std::min(together, count - begin);
    TableRange &range = out.emplace_back(begin, end);
    if (begin == 0 || kept[begin].table != kept[begin - 1].table)
      continue;
    range.continued = file.section_of[kept[begin].table.value];
    range.in_place = is_encoded_in_place(file, range.continued);
  }
  return out;
}

} // namespace

void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      FileInProgress &file, Diagnostics &diag) {
  for (const KeptRelocation &kept : plan.relocations.kept)
    if (names_nothing(file, kept, symbol_of(file.symbols, kept)))
      report_deleted(program, plan.layout.sections, kept, diag);
    else
      add_relocation(to, kept, file);
  add_slots(plan, to, file);
}

KeptRelocations encode_relocations(const Program &program, const OutputPlan &plan,
                                   KeptRelocations relocations, WorkerPool &pool,
                                   FileInProgress &file, Diagnostics &diag) {
  const std::span<KeptRelocation> kept = relocations;
  std::vector<TableRange> ranges = find_ranges(kept, file);
  pool.for_each(static_cast<u32>(ranges.size()), [&](u32 i) {
    for (u32 next = ranges[i].begin; next < ranges[i].end;)
      next = encode_table(kept, next, ranges[i], file);
  });
  for (const TableRange &range : ranges)
    if (!range.continuation.empty())
      file.elf.append(range.continued, range.continuation);
  for (const TableRange &range : ranges) {
    for (const KeptRelocation &refused : range.refused)
      report_deleted(program, plan.layout.sections, refused, diag);
    for (const KeptRelocation &other : range.others)
      add_relocation(file.section_of, other, file);
  }
  add_slots(plan, file.section_of, file);
  return relocations;
}

} // namespace culink
