// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocation tables of the inputs. Each output section gets at most one table without addends and
// one with; a table lists slices, one per input table, which classify_relocations reads from the
// newest to the oldest.
//
// What may surprise: tables exist here although their entries may all be resolved or dropped later,
// because the order in which sections are created shows in the file. Whether a table is emitted is
// decided when its entries are known (output/draft.cc).
#include "link/merge/merger.h"

#include "link/nvlink/lost_pointers.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

void Merger::create_relocation_tables() {
  layout_.relocs.discarded[id_.value].sort(); // all symbols of the object have been read
  const std::span<const elf::SectionKind> kinds = object_->kinds;
  for (u32 i = 0; i < kinds.size(); ++i) {
    const SectionRole role = kinds[i].role;
    // Notes of other tools. A link that resolves early drops them (Q058).
    if (role == SectionRole::Note || role == SectionRole::NoteCuver) {
      if (!p_.policy.resolves_early)
        append_block(object_->section(i));
      continue;
    }
    if (role != SectionRole::Rel && role != SectionRole::Rela)
      continue;
    const elf::Section &table = object_->section(i);
    if (table.type != SectionType::Rel && table.type != SectionType::Rela)
      continue; // Mercury's
    if (table.size == 0 || table.info == 0)
      continue;
    if (const EntityId id = overridden_code_[table.info]; id.valid())
      layout_.relocs.has_overridden[id.value] = true;
    const SectionLocation &at = location(table.info);
    if (at.constants != kNoIndex)
      keep_constant_relocations(table, at);
    // Constants of a discarded definition are part of the output, with their relocations (Q040).
    const bool dropped = at.discarded && !object_->kinds[table.info].is_constant();
    if (!dropped && at.section.valid())
      add_relocations(table, at);
    else if (object_->kinds[table.info].is_code() && is_dead(at))
      count_removed_tables(table);
  }
}

// Relocations of function constants. An overriding definition starts over with its own.
void Merger::keep_constant_relocations(const elf::Section &table, const SectionLocation &at) {
  std::vector<ConstantRelocations> &kept =
      layout_.placement.function_constants[at.constants].relocations;
  if (!at.discarded && !p_.policy.keeps_overridden_tables)
    kept.clear();
  if (!at.discarded && p_.policy.lists_resolved)
    name_only(layout_.sections.keep_name(".nv.resolvedrela", object_->section(table.info).name));
  kept.push_back({id_, table.index, at.offset});
}

void Merger::add_relocations(const elf::Section &table, const SectionLocation &at) {
  const bool rela = table.type == SectionType::Rela;
  if ((object_->kinds[table.info].is_debug() || object_->kinds[table.info].is_constant()) &&
      describes_only_discarded_code(table))
    return;
  const Shifted shifted =
      rela || p_.policy.keeps_all_relocations ? Shifted::None : shifted_entries(table);
  if (shifted == Shifted::Some)
    relocation_group(at.section, true);
  const u32 group = relocation_group(at.section, rela || shifted == Shifted::All);
  layout_.relocs.slices.push_back({id_, table.index, group});
  if (!rela) {
    if (p_.policy.keeps_all_relocations && names_sections(table))
      relocation_group(at.section, true); // has room for addends
    return;
  }
  // An entry with addend 0 that is not the first creates the name .rel<target> (Q004).
  if (!p_.policy.names_rel_tables || !has_zero_addend(table))
    return;
  const u32 sections = layout_.sections.size();
  name_only(layout_.sections.keep_name(".rel", layout_.sections.name(at.section)));
  if (p_.policy.counts_tables_twice && layout_.sections.size() != sections)
    layout_.sections.followed_by_uncounted.push_back(OutId(sections));
}

// Tables of dead code, and the name of the table without addends.
void Merger::count_removed_tables(const elf::Section &table) {
  count_removed_section();
  if (table.type != SectionType::Rela || !p_.policy.names_rel_tables || !has_zero_addend(table))
    return;
  count_removed_section();
  if (p_.policy.counts_tables_twice)
    count_removed_section();
}

// True if an entry that is neither dropped nor the first has addend 0.
bool Merger::has_zero_addend(const elf::Section &table) const {
  const elf::RelocationTable entries = object_->view.relocations(table);
  // Relocations of code are never dropped one by one.
  const bool some_dropped = object_->kinds[table.info].is_debug() ||
                            object_->kinds[table.info].is_constant() ||
                            layout_.relocs.discarded[id_.value].touch(table.info);
  u32 first = 0;
  while (some_dropped && first < entries.size() && is_dropped(table.info, entries[first]))
    ++first;
  for (u32 i = first + 1; i < entries.size(); ++i)
    if (entries[i].addend == 0 && !(some_dropped && is_dropped(table.info, entries[i])))
      return true;
  return false;
}

bool Merger::is_dropped(u32 section, const elf::Relocation &entry) const {
  return layout_.relocs.discarded[id_.value].contain(section, entry.offset) ||
         describes_discarded_code(section, entry.symbol) ||
         nvlink::loses_pointer(p_, id_, section, entry.symbol);
}

bool Merger::names_sections(const elf::Section &table) const {
  for (const elf::Relocation entry : object_->view.relocations(table))
    if (object_->symbols[entry.symbol].type() == elf::SymbolType::Section)
      return true;
  return false;
}

// Counts the entries of a table without addends that refer to a section with a block that does not
// start at 0. The start of the block is added to their addend, which needs room.
Merger::Shifted Merger::shifted_entries(const elf::Section &table) const {
  const elf::RelocationTable entries = object_->view.relocations(table);
  u32 shifted = 0;
  for (const elf::Relocation entry : entries) {
    const elf::Symbol &symbol = object_->symbols[entry.symbol];
    if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
      continue;
    const SectionLocation &at = location(symbol.section);
    shifted += at.section.valid() && at.offset != 0;
  }
  return shifted == 0 ? Shifted::None : shifted == entries.size() ? Shifted::All : Shifted::Some;
}

// The index of the group of a section's relocations with or without addends. A new one gets a
// table.
u32 Merger::relocation_group(OutId target, bool rela) {
  if (target.value >= group_of_.size())
    group_of_.resize(layout_.sections.size());
  std::vector<RelocationGroup> &groups = layout_.relocs.groups;
  u32 &first = group_of_[target.value];
  const bool second = first != 0 && groups[first - 1].has_addends != rela;
  u32 &known = second ? other_group_[first - 1] : first;
  if (known != 0)
    return known - 1;
  known = static_cast<u32>(groups.size()) + 1;

  const std::string_view target_name = layout_.sections.name(target);
  const OutId table = add(layout_.sections.keep_name(rela ? ".rela" : ".rel", target_name),
                          elf::relocation_table(target, rela));
  if (second && p_.policy.lists_resolved)
    layout_.sections.followed_by_uncounted.push_back(table);
  if (p_.policy.lists_resolved && !second) {
    const std::string_view name = layout_.sections.keep_name(".nv.resolvedrela", target_name);
    OutSection list = elf::relocation_table(target, true);
    list.type = SectionType::CudaResolvedRela;
    const OutId resolved = p_.policy.shares_lists ? need(name, list) : add(name, list);
    if (p_.policy.counts_tables_twice)
      layout_.sections.followed_by_uncounted.push_back(resolved);
  }
  groups.push_back({table, target, rela});
  other_group_.push_back(0);
  return static_cast<u32>(groups.size() - 1);
}

// Debug information about a discarded function definition. .debug_info and .debug_loc keep theirs.
bool Merger::describes_discarded_code(u32 section, u32 symbol) const {
  if (p_.policy.keeps_discarded_frames || !object_->kinds[section].is_debug() ||
      object_->symbols[symbol].type() != elf::SymbolType::Function)
    return false;
  const std::string_view name = object_->section(section).name;
  const DefinitionOutcome outcome = p_.symbols.outcome(id_, symbol);
  return name != ".debug_info" && name != ".debug_loc" &&
         (outcome == DefinitionOutcome::DiscardedForWeak ||
          outcome == DefinitionOutcome::DiscardedForStrong);
}

bool Merger::describes_only_discarded_code(const elf::Section &table) const {
  for (const elf::Relocation entry : object_->view.relocations(table))
    if (!describes_discarded_code(table.info, entry.symbol) &&
        !nvlink::loses_pointer(p_, id_, table.info, entry.symbol))
      return false;
  return true;
}

} // namespace culink
