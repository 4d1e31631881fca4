// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output sections and symbols, created file by file. String tables, symbol numbers and the section
// table show the order of creation, so this pass decides the order of the file. Each file is walked
// in five steps, and each step creates a section when it first needs one:
//
//   0  .nv.info and .nv.compat
//   1  functions, in symbol order: .text.F, and for a kernel .nv.info.K and .nv.shared.K
//   2  other symbols, in symbol order: the sections they are in          (merge_data.cc)
//   3  remaining sections, in section order: debug, banks, data          (merge_data.cc)
//   4  per-function .nv.info sections, then relocation tables            (merge_relocations.cc)
//
// Discarded functions are treated as if they were not there. A definition that is discarded for an
// earlier one contributes nothing; one that overrides an earlier one contributes its bytes at the
// earlier one's position. All later passes read the Layout that comes out.
#include "link/merge/merge.h"

#include <algorithm>

#include "elf/target/driver_functions.h"
#include "elf/text_info.h"
#include "link/merge/merger.h"
#include "link/nvlink/section_owners.h"
#include "support/bytes.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

Merger::Merger(const Program &program)
    : p_(program), listed_(program.symbols.entities.size()),
      constants_of_(program.calls.functions.size()) {
  const size_t entities = program.symbols.entities.size();
  layout_.placement.address_of.assign(entities, SymbolAddress{});
  layout_.placement.shared_align.assign(entities, 1);
  layout_.placement.location_of.resize(program.objects.size());
  layout_.sections.shared_of.assign(entities, OutId{});
  layout_.relocs.discarded.resize(program.objects.size());
  layout_.relocs.has_overridden.resize(entities);
  if (program.policy.leaves_blank_symbols)
    mentioned_.resize(entities);
  size_t sections = 0; // of the inputs
  for (const InputObject &object : program.objects)
    sections += object.view.sections().size();
  // An upper bound: few sections prevail if entities are few. A kernel may add .nv.shared.K and a
  // name.
  sections = std::min(sections, entities * 8) + 2 * program.calls.functions.size();
  layout_.sections.reserve(sections);
}

Layout Merger::run() {
  create_tables();
  if (p_.objects.empty())
    create_module_records_of_none();
  for (u32 i = 0; i < p_.objects.size(); ++i) {
    begin(ObjectId(i));
    create_module_records();
    create_functions();
    create_data();
    create_other_sections();
    create_function_records();
    create_relocation_tables();
    create_unnamed_shared();
  }
  drop_tables_of_discarded();
  finish_text();
  if (has_commons_)
    place_commons();
  add_call_sections();
  return std::move(layout_);
}

void Merger::create_module_records_of_none() {
  layout_.sections.info =
      need(".nv.info", {.type = SectionType::CudaInfo, .align = 4, .presence = Presence::NameOnly});
  if (p_.arch.has_compat && !p_.policy.old_abi)
    layout_.sections.compat = need(
        ".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .presence = Presence::Always});
}

// The notes come right after the tables that the writer itself creates.
void Merger::create_tables() {
  if (p_.policy.old_abi)
    return;
  layout_.sections.tkinfo = need(".note.nv.tkinfo", {.type = SectionType::Note,
                                                     .flags = elf::kFlagTkinfoNote,
                                                     .align = 4,
                                                     .presence = Presence::Always,
                                                     .has_symbol = true});
  layout_.sections.cuinfo = need(".note.nv.cuinfo", {.type = SectionType::Note,
                                                     .flags = elf::kFlagCuinfoNote,
                                                     .align = 4,
                                                     .presence = Presence::Always,
                                                     .has_symbol = true});
}

void Merger::begin(ObjectId id) {
  id_ = id;
  object_ = &p_.objects[id.value];
  const size_t sections = object_->view.sections().size();
  layout_.placement.location_of[id.value].resize(sections);
  locations_ = layout_.placement.location_of[id.value];
  beside_strong_.assign(sections, false);
  overridden_code_.assign(sections, EntityId{});
  extents_.reset();
  constant_starts_.reset();
  dynamic_align_.reset();
}

void Merger::name_only_for(std::string_view name, OutId target) {
  OutSection section = kNameOnly;
  section.info = target;
  const OutId newest = layout_.sections.find(name);
  if (!newest.valid() || !layout_.sections.find_for(newest, target).valid())
    add(name, section);
}

std::pair<OutId, bool> Merger::find_or_add_for_kernel(std::string_view name,
                                                      const OutSection &section, OutId text) {
  const auto [newest, is_new] = layout_.sections.find_or_add(name, section);
  if (is_new)
    return {newest, true};
  if (const OutId id = nvlink::section_of_kernel(p_, layout_.sections, newest, text); id.valid())
    return {id, false};
  return {layout_.sections.add(name, section), true};
}

OutId Merger::need_for_kernel(std::string_view name, const OutSection &section, OutId text) {
  const auto [id, is_new] = find_or_add_for_kernel(name, section, text);
  if (is_new)
    layout_.sections.add_section_symbol(id);
  if (!layout_.sections[id].target().valid())
    layout_.sections[id].info = text;
  return id;
}

void Merger::create_module_records() {
  // Objects that a relocatable link made from data alone do not have .nv.info, but the output has
  // its name.
  layout_.sections.info = need(
      ".nv.info", {.type = SectionType::CudaInfo, .align = 4, .link = elf::SectionTable::kSymtab});
  if (p_.policy.old_abi)
    return;
  // If the target has .nv.compat, the output has it even if all objects are of toolkit 12 and do
  // not.
  if (layout_.sections.compat.valid())
    return;
  if (p_.arch.has_compat || !object_->compats.empty())
    layout_.sections.compat = need(
        ".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .presence = Presence::Always});
}

// Adds the symbol without a name, once for each file.
void Merger::leave_blank_symbol(EntityId id, u32 symbol) {
  if (mentioned_[id.value])
    return;
  mentioned_[id.value] = true;
  std::vector<ObjectId> &files = layout_.sections.with_blank_symbol;
  if (object_->symbols[symbol].in_section() || (!files.empty() && files.back() == id_))
    return;
  files.push_back(id_);
  layout_.sections.locals.push_back({LocalSymbol::Kind::Blank, id_.value});
}

void Merger::create_functions() {
  const std::span<const u32> functions = p_.symbols.functions_of[id_.value];
  const std::span<const EntityId> entities = p_.symbols.entity_of[id_.value];
  const std::span<const DefinitionOutcome> outcomes = p_.symbols.outcome_of[id_.value];
  const bool leaves_blanks = !mentioned_.empty();
  for (const u32 s : functions) {
    const elf::Symbol &symbol = object_->symbols[s];
    const EntityId id = entities[s];
    if (!id.valid())
      continue;
    if (leaves_blanks)
      leave_blank_symbol(id, s);
    const Entity &entity = p_.symbols[id];
    const DefinitionOutcome outcome = outcomes[s];
    const bool accepted = outcome == DefinitionOutcome::Accepted;
    if (object_->owner_of_function(s) == s && (outcome == DefinitionOutcome::DiscardedForWeak ||
                                               outcome == DefinitionOutcome::DiscardedForStrong))
      location(symbol.section).discarded = true;
    if (accepted && entity.prevailing != SymbolRef{id_, s})
      overridden_code_[symbol.section] = id;
    beside_strong_[symbol.section] = outcome == DefinitionOutcome::DiscardedForStrong ||
                                     (accepted && symbol.binding() != elf::SymbolBinding::Weak &&
                                      entity.first_definition != SymbolRef{id_, s});
    if (!p_.is_live(id)) {
      name_discarded_entry(id, s);
      if (accepted && entity.first_definition == SymbolRef{id_, s})
        count_removed_section();
      continue;
    }
    if (!is_listed(id))
      list_function(id);
    if (accepted) {
      discard_constants(id);
      create_text(id, s);
    }
  }
}

// A kernel that is discarded because host code does not refer to it leaves the name of its shared
// section in the string tables (Q081), and so does the definition of a driver function (Q140).
void Merger::name_discarded_entry(EntityId id, u32 symbol_index) {
  const Entity &entity = p_.symbols[id];
  const bool named = (p_.live.judged_late && is_kernel_mark(entity.other)) ||
                     (entity.defined() && arch::is_driver_function(entity.name));
  if (named && entity.first_definition == SymbolRef{id_, symbol_index})
    need(layout_.sections.keep_name(".nv.shared.", entity.name), kSharedOfKernel);
}

// Functions enter the symbol table at their first reference, weak definitions in the local part.
void Merger::list_function(EntityId id) {
  set_listed(id);
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
  if (entity.first_definition != SymbolRef{id_, symbol_index}) { // overrides an earlier definition
    location(symbol.section).set(address_of(id).section, 0);
    return;
  }
  if (const OutId known = location(symbol.section).section; known.valid()) { // an alias
    address_of(id) = {known, symbol.value};
    return;
  }
  // An alias that is known before its object is read takes the section over (Q043).
  const bool is_owner = object_->owner_of_code(symbol.section) == symbol_index;
  const OutId section =
      add(is_owner ? text.name : layout_.sections.keep_name(".text.", symbol.name),
          {.type = text.type,
           .flags = elf::kFlagAlloc | elf::kFlagExec,
           .align = text.align,
           .entsize = text.entsize,
           .link = elf::SectionTable::kSymtab,
           .has_symbol = true},
          id);
  address_of(id) = {section, symbol.value};
  location(symbol.section).set(section, 0);
  if (entity.prevailing == SymbolRef{id_, symbol_index})
    fill_text(section, text);
  else
    unfilled_text_.push_back(section);
  // A kernel that is not selected is not known to be live yet, unless an earlier object launches
  // it.
  const ObjectId taken_in = p_.calls.taken_in[p_.function_of(id).value];
  const bool launched = is_kernel_mark(entity.other) && taken_in.valid() && taken_in < id_;
  const bool judged_later = p_.live.judged_late && is_kernel_mark(entity.other);
  // A definition of a driver function is not a kernel, but gets the sections of one (Q140).
  if (!p_.is_selected(id) && !launched && !judged_later && !arch::is_driver_function(symbol.name))
    return;
  add_records(id, section);
  layout_.sections.shared_of[id.value] = need_for_kernel(
      layout_.sections.keep_name(".nv.shared.", symbol.name), kSharedOfKernel, section);
}

// The .nv.info section of a function.
void Merger::add_records(EntityId function, OutId text) {
  layout_.sections.details[text.value].records =
      add(layout_.sections.keep_name(".nv.info.", p_.symbols[function].name),
          {.type = SectionType::CudaInfo,
           .flags = elf::kFlagInfoLink,
           .align = 4,
           .link = elf::SectionTable::kSymtab,
           .info = text,
           .presence = Presence::Always});
}

void Merger::create_function_records() {
  for (const InputObject::Info &info : object_->infos) {
    if (info.text == 0)
      continue;
    const SectionLocation &text = location(info.text);
    if (is_dead(text))
      count_removed_section();
    else if (!text.discarded && !layout_.sections.records(text.section).valid())
      add_records(layout_.sections.function(text.section), text.section);
  }
}

// Code comes from the prevailing definition.
void Merger::fill_text(OutId id, const elf::Section &text) {
  OutSection &section = layout_.sections[id];
  section.size = text.size;
  section.first = text.data;
  layout_.sections.details[id.value].info_top = static_cast<u8>(text.info >> 24);
  if (const u64 barriers = text.flags & elf::kTextBarrierMask;
      barriers != 0 && p_.policy.resolves_early)
    section.flags |= barriers;
}

// Sections whose prevailing definition was read after they were created.
void Merger::finish_text() {
  for (const OutId id : unfilled_text_) {
    const SymbolRef prevailing = p_.symbols[layout_.sections.function(id)].prevailing;
    const InputObject &object = p_.objects[prevailing.object.value];
    fill_text(id, object.section(object.symbols[prevailing.symbol].section));
  }
}

void Merger::drop_tables_of_discarded() {
  if (!discards_sections_)
    return;
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (layout_.sections[group.target].discarded())
      layout_.sections[group.table].presence = Presence::Nothing;
}

// Common symbols get memory after the blocks of all files, the newest symbol first.
void Merger::place_commons() {
  for (size_t i = layout_.sections.globals.size(); i-- > 0;)
    place_common(layout_.sections.globals[i]);
  // A common symbol that was a weak definition first is in the local part of the symbol table.
  for (size_t i = layout_.sections.locals.size(); i-- > 0;)
    if (const LocalSymbol local = layout_.sections.locals[i];
        local.kind == LocalSymbol::Kind::Entity)
      place_common(EntityId(local.id));
}

void Merger::place_common(EntityId id) {
  const Entity &entity = p_.symbols[id];
  if (entity.common_align == 0 || entity.defined() || p_.policy.keeps_all_relocations ||
      entity.weak_over_common)
    return;
  const OutId section = need(".nv.global", {.type = SectionType::CudaGlobal,
                                            .flags = elf::kFlagAlloc | elf::kFlagWrite,
                                            .has_symbol = true});
  OutSection &out = layout_.sections[section];
  out.presence = Presence::Always; // even if all common symbols are empty
  const u64 offset = align_up(out.size, entity.common_align);
  out.align = std::max(out.align, entity.common_align);
  out.size = offset + entity.size;
  address_of(id) = {section, offset};
}

void Merger::add_call_sections() {
  layout_.sections.callgraph = need(".nv.callgraph", {.type = SectionType::CudaCallgraph,
                                                      .align = 4,
                                                      .entsize = 8,
                                                      .link = elf::SectionTable::kSymtab,
                                                      .presence = Presence::Always,
                                                      .has_symbol = true});
  layout_.sections.prototype = need(".nv.prototype", {.type = SectionType::CudaPrototype,
                                                      .align = 4,
                                                      .entsize = 8,
                                                      .link = elf::SectionTable::kSymtab,
                                                      .has_symbol = true});
}

Layout merge_inputs(const Program &program) {
  return Merger(program).run();
}

} // namespace culink
