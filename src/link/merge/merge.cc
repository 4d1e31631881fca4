// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of everything. Each file is walked in five steps, and each step creates what it needs
// when it first needs it; the creation order is what string tables, symbol numbers and the section
// table show in the end:
//
//   0  .nv.info and .nv.compat
//   1  functions, in symbol order: .text.F, and for a kernel .nv.info.K and .nv.shared.K
//   2  other symbols, in symbol order: the memory they lie in            (merge_data.cc)
//   3  remaining sections, in section order: debug, banks, data          (merge_data.cc)
//   4  per-function .nv.info sections, then relocation tables
//
// Functions that do not stay are treated as if they were not there. A definition that lost against
// an earlier one contributes nothing; one that replaces an earlier one contributes its bytes in the
// earlier one's place.
#include "link/merge/merge.h"

#include "elf/text_info.h"
#include "link/merge/merger.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

Layout Merger::run() {
  create_tables();
  if (p_.objects.empty()) {
    layout_.sections.info = need(".nv.info", {.type = SectionType::CudaInfo, .align = 4});
    layout_.sections[layout_.sections.info].emit = Emit::NameOnly;
    if (p_.arch.has_compat)
      layout_.sections.compat =
          need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
  }
  reserve();
  layout_.placement.address_of.resize(p_.symbols.entities.size());
  layout_.sections.shared_of.resize(p_.symbols.entities.size());
  layout_.placement.shared_align.assign(p_.symbols.entities.size(), 1);
  layout_.relocs.has_overridden.assign(p_.symbols.entities.size(), false);
  listed_.assign(p_.symbols.entities.size(), false);
  for (u32 i = 0; i < p_.objects.size(); ++i) {
    begin(ObjectId(i));
    create_module_records();
    create_functions();
    create_data();
    create_other_sections();
    create_function_records();
    create_relocation_tables();
  }
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (layout_.sections[group.target].discarded())
      layout_.sections[group.table].emit = Emit::Discarded;
  place_commons();
  finish_text();
  layout_.sections.callgraph = need(".nv.callgraph", {.type = SectionType::CudaCallgraph,
                                                      .align = 4,
                                                      .entsize = 8,
                                                      .links_symtab = true,
                                                      .emit = Emit::Always,
                                                      .has_symbol = true});
  layout_.sections.prototype = need(".nv.prototype", {.type = SectionType::CudaPrototype,
                                                      .align = 4,
                                                      .entsize = 8,
                                                      .links_symtab = true,
                                                      .has_symbol = true});
  return std::move(layout_);
}

// Room for more sections than the files have, because companions come in addition. Memory that is
// not used is never touched.
void Merger::reserve() {
  size_t sections = 0;
  for (const InputObject &object : p_.objects)
    sections += object.view.sections().size();
  layout_.sections.list.reserve(sections + sections / 2);
  layout_.sections.locals.reserve(sections + sections / 2);
  layout_.sections.info_of.reserve(sections + sections / 2);
  layout_.sections.by_name.reserve(sections + sections / 2);
  layout_.placement.location_of.reserve(p_.objects.size());
  layout_.sections.names.reserve(
      static_cast<u32>(p_.symbols.entities.size() * 3)); // weak copies have one name
}

// The four tables of the writer are there before anything else; the notes come next.
void Merger::create_tables() {
  layout_.sections.tkinfo = need(".note.nv.tkinfo", {.type = SectionType::Note,
                                                     .flags = elf::kFlagTkinfoNote,
                                                     .align = 4,
                                                     .emit = Emit::Always,
                                                     .has_symbol = true});
  layout_.sections.cuinfo = need(".note.nv.cuinfo", {.type = SectionType::Note,
                                                     .flags = elf::kFlagCuinfoNote,
                                                     .align = 4,
                                                     .emit = Emit::Always,
                                                     .has_symbol = true});
}

void Merger::begin(ObjectId id) {
  id_ = id;
  object_ = &p_.objects[id.value];
  layout_.placement.location_of.emplace_back(object_->view.sections().size());
  layout_.relocs.discarded.emplace_back();
  bank2_starts_.clear();
  no_block_.assign(object_->view.sections().size(), false);
  joins_strong_.assign(object_->view.sections().size(), false);
  replaced_code_.assign(object_->view.sections().size(), EntityId{});
  if (id.value + 1 < p_.objects.size())
    p_.objects[id.value + 1].expect_names();
  for (const u32 s : p_.symbols.functions_of[id.value])
    layout_.sections.names.expect(object_->symbols[s].name);
}

OutId Merger::add(std::string_view name, OutSection &&section) {
  section.name = name;
  const OutId id = layout_.sections.add(std::move(section));
  layout_.sections.add_section_symbol(id);
  return id;
}

OutId Merger::need(std::string_view name, OutSection &&section) {
  section.name = name;
  const auto [id, is_new] = layout_.sections.find_or_add(std::move(section));
  if (is_new)
    layout_.sections.add_section_symbol(id);
  return id;
}

OutId Merger::name_only(std::string_view name) {
  return need(name, {.type = SectionType::Null, .align = 8, .entsize = 16, .emit = Emit::NameOnly});
}

void Merger::create_module_records() {
  for (const elf::Section &section : object_->view.sections()) {
    const elf::SectionKind &kind = object_->kinds[section.index];
    if (kind.role == SectionRole::Info && !kind.mercury && section.name == ".nv.info")
      layout_.sections.info =
          need(".nv.info", {.type = SectionType::CudaInfo, .align = 4, .links_symtab = true});
    else if (kind.role == SectionRole::Compat)
      layout_.sections.compat =
          need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
  }
  // Objects of toolkit 12 have none; the output has one all the same.
  if (p_.arch.has_compat)
    layout_.sections.compat =
        need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
}

void Merger::create_functions() {
  for (const u32 s : p_.symbols.functions_of[id_.value]) {
    const elf::Symbol &symbol = object_->symbols[s];
    const EntityId id = p_.symbols.of(id_, s);
    if (!id.valid())
      continue;
    const DefinitionOutcome outcome = p_.symbols.outcome(id_, s);
    if (outcome == DefinitionOutcome::DiscardedForWeak ||
        outcome == DefinitionOutcome::DiscardedForStrong)
      where(symbol.section).discarded = true;
    if (outcome == DefinitionOutcome::Accepted && p_.symbols[id].prevailing != SymbolRef{id_, s})
      replaced_code_[symbol.section] = id;
    joins_strong_[symbol.section] =
        outcome == DefinitionOutcome::DiscardedForStrong ||
        (outcome == DefinitionOutcome::Accepted && symbol.binding() != elf::SymbolBinding::Weak &&
         p_.symbols[id].first_definition != SymbolRef{id_, s});
    if (!p_.stays(id)) {
      name_pruned_kernel(id, s);
      continue;
    }
    list_function(id);
    if (outcome == DefinitionOutcome::Accepted) {
      forget_bank2(id);
      create_text(id, s);
    }
  }
}

// Whether host code mentions a kernel is asked after its sections have been made: one that goes
// away leaves the name of its shared memory behind (Q081).
void Merger::name_pruned_kernel(EntityId id, u32 symbol_index) {
  const Entity &entity = p_.symbols[id];
  if (p_.live.by_host && is_kernel_mark(entity.other) &&
      entity.first_definition == SymbolRef{id_, symbol_index})
    need(layout_.sections.keep_name(".nv.shared.", entity.name),
         shared_section(elf::kFlagInfoLink));
}

// At the first mention: weak definitions stand among the locals, everything else global.
void Merger::list_function(EntityId id) {
  if (listed_[id.value])
    return;
  listed_[id.value] = true;
  const Entity &entity = p_.symbols[id];
  if (entity.local || entity.in_local_part)
    layout_.sections.add_local(id);
  else
    layout_.sections.globals.push_back(id);
}

void Merger::create_text(EntityId id, u32 symbol_index) {
  const elf::Symbol &symbol = object_->symbols[symbol_index];
  const Entity &entity = p_.symbols[id];
  const elf::Section &text = object_->section(symbol.section);
  if (entity.first_definition !=
      SymbolRef{id_, symbol_index}) { // takes the place of an earlier definition
    where(symbol.section) = {.section = layout_.placement.address_of[id.value].section};
    return;
  }
  layout_.placement.address_of[id.value].value = symbol.value;
  if (where(symbol.section).section.valid()) { // a second name of the same code
    layout_.placement.address_of[id.value].section = where(symbol.section).section;
    return;
  }
  // An alias that was known before its object takes the section over (Q043).
  const bool is_owner = object_->owner_of_code(symbol.section) == symbol_index;
  const std::string_view name =
      is_owner ? text.name : layout_.sections.keep_name(".text.", symbol.name);
  const OutId section = add(name, {.type = text.type,
                                   .flags = elf::kFlagAlloc | elf::kFlagExec,
                                   .align = text.align,
                                   .entsize = text.entsize,
                                   .function = id,
                                   .links_symtab = true,
                                   .has_symbol = true});
  layout_.placement.address_of[id.value].section = section;
  where(symbol.section) = {.section = section};
  if (entity.prevailing == SymbolRef{id_, symbol_index})
    fill_text(layout_.sections[section], text);
  else
    replaced_text_.push_back(section);
  // A kernel that was not selected is not yet known to stay, unless an earlier object launches it.
  const ObjectId taken_in = p_.calls.taken_in[p_.function_of(id).value];
  const bool launched = is_kernel_mark(entity.other) && taken_in.valid() && taken_in < id_;
  const bool judged_later = p_.live.by_host && is_kernel_mark(entity.other);
  if (!p_.is_selected(id) && !launched && !judged_later)
    return;
  layout_.sections.info_of[section.value] =
      add(layout_.sections.keep_name(".nv.info.", symbol.name), function_record_section(section));
  const OutId shared = need(layout_.sections.keep_name(".nv.shared.", symbol.name),
                            shared_section(elf::kFlagInfoLink));
  layout_.sections[shared].target = section;
  layout_.sections.shared_of[id.value] = shared;
}

OutSection Merger::function_record_section(OutId text) {
  return {.type = SectionType::CudaInfo,
          .flags = elf::kFlagInfoLink,
          .align = 4,
          .target = text,
          .links_symtab = true,
          .emit = Emit::Always};
}

OutSection Merger::shared_section(u64 more_flags) {
  return {.type = SectionType::CudaShared,
          .flags = elf::kFlagAlloc | elf::kFlagWrite | more_flags,
          .has_symbol = true};
}

void Merger::create_function_records() {
  for (const InputObject::Info &info : object_->infos) {
    if (info.text == 0)
      continue;
    const OutId text = where(info.text).section;
    if (where(info.text).discarded || !text.valid() || layout_.sections.info_of[text.value].valid())
      continue;
    const std::string_view function = p_.symbols[layout_.sections[text].function].name;
    layout_.sections.info_of[text.value] =
        add(layout_.sections.keep_name(".nv.info.", function), function_record_section(text));
  }
}

void Merger::create_relocation_tables() {
  for (const elf::Section &table : object_->view.sections()) {
    // Notes of others. nvlink -r forgets them, as it forgets who made its inputs (Q058).
    const SectionRole role = object_->kinds[table.index].role;
    if ((role == SectionRole::Note || role == SectionRole::NoteCuver) && !p_.policy.resolves_early)
      append_block(table);
    if (table.type != SectionType::Rel && table.type != SectionType::Rela)
      continue;
    if (table.size == 0 || table.info == 0)
      continue;
    if (const EntityId id = replaced_code_[table.info]; id.valid())
      layout_.relocs.has_overridden[id.value] = true;
    const SectionLocation &place = where(table.info);
    if (place.constants != kNoIndex)
      keep_bank2_relocations(table, place);
    // Constants of a copy that lost are there all the same, with what they point to (Q040).
    const bool dropped = place.discarded && !object_->kinds[table.info].is_constant();
    if (!dropped && place.section.valid())
      add_relocations(table, place);
  }
}

// nvlink does not forget those of a copy that was replaced. Where it takes them for the new one's,
// it clears fields of branch tables (Q040).
void Merger::keep_bank2_relocations(const elf::Section &table, const SectionLocation &place) {
  std::vector<ConstantRelocations> &kept =
      layout_.placement.function_constants[place.constants].relocations;
  if (!place.discarded && !p_.dialect.miscompiles_constants)
    kept.clear();
  if (!place.discarded && p_.policy.lists_resolved)
    name_only(layout_.sections.keep_name(".nv.resolvedrela", object_->section(table.info).name));
  kept.push_back({id_, table.index, place.offset});
}

void Merger::add_relocations(const elf::Section &table, const SectionLocation &place) {
  const bool rela = table.type == SectionType::Rela;
  if ((object_->kinds[table.info].is_debug() || object_->kinds[table.info].is_constant()) &&
      is_all_about_lost_code(table))
    return;
  const Moved moved = rela || p_.policy.keeps_all_relocations ? Moved::None : moved_entries(table);
  if (moved == Moved::Some)
    relocation_group(place.section, true);
  RelocationGroup &group = relocation_group(place.section, rela || moved == Moved::All);
  layout_.relocs.slices.push_back({id_, table.index, place.offset, group.newest});
  group.newest = static_cast<u32>(layout_.relocs.slices.size() - 1);
  if (!rela) {
    if (p_.policy.keeps_all_relocations && names_sections(table))
      relocation_group(place.section, true); // where addends have room
    return;
  }
  // A later entry with addend 0 leaves the name .rel<target> behind (Q004).
  const elf::RelocationTable entries = object_->view.relocations(table);
  bool first = true;
  for (u32 i = 0; i < entries.size(); ++i) {
    const elf::Relocation entry = entries[i];
    if (in_lost_range(table.info, entry.offset) || is_about_lost_code(table.info, entry.symbol) ||
        is_lost_pointer(p_, id_, table.info, entry.symbol))
      continue;
    if (!first && entry.addend == 0) {
      name_only(layout_.sections.keep_name(".rel", layout_.sections[place.section].name));
      return;
    }
    first = false;
  }
}

bool Merger::names_sections(const elf::Section &table) const {
  const elf::RelocationTable entries = object_->view.relocations(table);
  for (u32 i = 0; i < entries.size(); ++i)
    if (object_->symbols[entries[i].symbol].type() == elf::SymbolType::Section)
      return true;
  return false;
}

// Relocations without addends against a section of which an earlier object has a part: where the
// part starts becomes an addend (Q073).
Merger::Moved Merger::moved_entries(const elf::Section &table) {
  const elf::RelocationTable entries = object_->view.relocations(table);
  u32 moved = 0;
  for (u32 i = 0; i < entries.size(); ++i) {
    const elf::Symbol &symbol = object_->symbols[entries[i].symbol];
    if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
      continue;
    const SectionLocation &place = where(symbol.section);
    moved += place.section.valid() && place.offset != 0;
  }
  return moved == 0 ? Moved::None : moved == entries.size() ? Moved::All : Moved::Some;
}

RelocationGroup &Merger::relocation_group(OutId target, bool rela) {
  if (group_of_.size() < layout_.sections.list.size())
    group_of_.resize(layout_.sections.list.size());
  u32 &number = group_of_[target.value][rela];
  if (number != 0)
    return layout_.relocs.groups[number - 1];
  const OutId table =
      add(layout_.sections.keep_name(rela ? ".rela" : ".rel", layout_.sections[target].name),
          {.type = rela ? SectionType::Rela : SectionType::Rel,
           .flags = elf::kFlagInfoLink,
           .align = 8,
           .entsize = rela ? 24u : 16u,
           .target = target,
           .links_symtab = true});
  const bool second = group_of_[target.value][!rela] != 0;
  // Counted once more (Q059): with Mercury code all of these, else those that are met again.
  const bool mercury = p_.arch.code_kind == arch::CodeKind::Capmerc;
  if (second ? p_.policy.lists_resolved : mercury)
    layout_.sections.created_again.push_back(table);
  if (p_.policy.lists_resolved && !second) {
    // One for all sections of one name (Q113).
    const OutId resolved =
        need(layout_.sections.keep_name(".nv.resolvedrela", layout_.sections[target].name),
             {.type = SectionType::CudaResolvedRela,
              .flags = elf::kFlagInfoLink,
              .align = 8,
              .entsize = 24,
              .target = target,
              .links_symtab = true});
    if (mercury)
      layout_.sections.created_again.push_back(resolved);
  }
  layout_.relocs.groups.push_back({table, target, rela});
  number = static_cast<u32>(layout_.relocs.groups.size());
  return layout_.relocs.groups.back();
}

bool Merger::in_lost_range(u32 section, u64 offset) const {
  for (const DiscardedRange &range : layout_.relocs.discarded[id_.value])
    if (range.section == section && range.begin <= offset && offset < range.end)
      return true;
  return false;
}

// Debug information about a copy of a function that is not used. Some of it stays nevertheless.
bool Merger::is_about_lost_code(u32 section, u32 symbol) const {
  if (!object_->kinds[section].is_debug() ||
      object_->symbols[symbol].type() != elf::SymbolType::Function)
    return false;
  const std::string_view name = object_->section(section).name;
  const DefinitionOutcome outcome = p_.symbols.outcome(id_, symbol);
  return name != ".debug_info" && name != ".debug_loc" &&
         (outcome == DefinitionOutcome::DiscardedForWeak ||
          outcome == DefinitionOutcome::DiscardedForStrong);
}

bool Merger::is_all_about_lost_code(const elf::Section &table) const {
  const elf::RelocationTable entries = object_->view.relocations(table);
  for (u32 i = 0; i < entries.size(); ++i)
    if (!is_about_lost_code(table.info, entries[i].symbol) &&
        !is_lost_pointer(p_, id_, table.info, entries[i].symbol))
      return false;
  return true;
}

// Code comes from the definition that won.
void Merger::fill_text(OutSection &section, const elf::Section &text) const {
  section.size = text.size;
  section.pieces.push_back({0, text.data});
  section.info_top = static_cast<u8>(text.info >> 24);
  if (p_.policy.resolves_early)
    section.flags |= text.flags & elf::kTextBarrierMask;
}

// Which may have been read after the section was made.
void Merger::finish_text() {
  for (const OutId id : replaced_text_) {
    const SymbolRef prevailing = p_.symbols[layout_.sections[id].function].prevailing;
    const InputObject &object = p_.objects[prevailing.object.value];
    fill_text(layout_.sections[id], object.section(object.symbols[prevailing.symbol].section));
  }
}

bool is_lost_pointer(const Program &p, ObjectId object, u32 section, u32 symbol) {
  const elf::SectionKind &kind = p.objects[object.value].kinds[section];
  const DefinitionOutcome outcome = p.symbols.outcome(object, symbol);
  return p.dialect.miscompiles_constants && kind.role == SectionRole::Constant &&
         kind.bank == p.arch.banks.user &&
         (outcome == DefinitionOutcome::DiscardedForWeak ||
          outcome == DefinitionOutcome::DiscardedForStrong);
}

bool is_forgotten_pointer(const Program &p, ObjectId object, u32 section, u32 symbol) {
  if (is_lost_pointer(p, object, section, symbol))
    return true;
  // A variable in global memory that was replaced. What points to functions and constants stays.
  const InputObject &input = p.objects[object.value];
  const EntityId id = p.symbols.of(object, symbol);
  return p.dialect.miscompiles_constants && input.kinds[section].is_constant() && id.valid() &&
         p.symbols.outcome(object, symbol) == DefinitionOutcome::Accepted &&
         !p.symbols[id].function && is_global(input.symbols[symbol].other) &&
         p.symbols[id].prevailing != SymbolRef{object, symbol};
}

Layout merge_inputs(const Program &program) {
  return Merger(program).run();
}

} // namespace culink
