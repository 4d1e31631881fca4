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

#include "arch/driver_functions.h"
#include "elf/text_info.h"
#include "link/emulate/old_objects.h"
#include "link/emulate/section_owners.h"
#include "link/merge/merger.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

Layout Merger::run() {
  create_tables();
  if (p_.objects.empty()) {
    layout_.sections.info = need(".nv.info", {.type = SectionType::CudaInfo, .align = 4});
    layout_.sections[layout_.sections.info].emit = Emit::NameOnly;
    if (p_.arch.has_compat && !p_.dialect.release.old_abi)
      layout_.sections.compat =
          need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
  }
  reserve();
  layout_.placement.address_of.resize(p_.symbols.entities.size());
  layout_.sections.shared_of.resize(p_.symbols.entities.size());
  layout_.placement.shared_align.assign(p_.symbols.entities.size(), 1);
  layout_.relocs.has_overridden.assign(p_.symbols.entities.size(), false);
  listed_.assign(p_.symbols.entities.size(), false);
  mentioned_.assign(emulate::leaves_blank_symbols(p_) ? p_.symbols.entities.size() : 0, false);
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

// There are more output sections than input sections, because some get companions. Reserved memory
// that is not used is never touched.
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
      static_cast<u32>(p_.symbols.entities.size() * 3)); // weak definitions share names
}

// The notes come right after the tables that the writer itself creates.
void Merger::create_tables() {
  if (p_.dialect.release.old_abi)
    return;
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
  constant_starts_.reset();
  dynamic_align_.reset();
  has_discarded_.assign(object_->view.sections().size(), false);
  beside_strong_.assign(object_->view.sections().size(), false);
  overridden_code_.assign(object_->view.sections().size(), EntityId{});
  if (id.value + 1 < p_.objects.size())
    p_.objects[id.value + 1].prefetch_names();
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

void Merger::name_only_for(std::string_view name, OutId target) {
  if (!layout_.sections.find_for(name, target).valid())
    add(name, {.type = SectionType::Null,
               .align = 8,
               .entsize = 16,
               .target = target,
               .emit = Emit::NameOnly});
}

OutId Merger::need_for_kernel(std::string_view name, OutId text, OutSection &&section) {
  section.name = name;
  OutId id = emulate::section_of_kernel(p_, layout_.sections, name, text);
  if (!id.valid()) {
    id = layout_.sections.add(std::move(section));
    layout_.sections.add_section_symbol(id);
  }
  if (!layout_.sections[id].target.valid())
    layout_.sections[id].target = text;
  return id;
}

void Merger::create_module_records() {
  // Objects that relocatable links made of data alone have none, but its name is in the output.
  layout_.sections.info =
      need(".nv.info", {.type = SectionType::CudaInfo, .align = 4, .links_symtab = true});
  if (p_.dialect.release.old_abi)
    return;
  for (const elf::Section &section : object_->view.sections())
    if (!layout_.sections.compat.valid() &&
        object_->kinds[section.index].role == SectionRole::Compat)
      layout_.sections.compat =
          need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
  // The output has one even if all objects are of toolkit 12, which have none.
  if (p_.arch.has_compat)
    layout_.sections.compat =
        need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
}

// Once in each file.
void Merger::leave_blank_symbol(EntityId id, u32 symbol) {
  if (!emulate::leaves_blank_symbols(p_) || mentioned_[id.value])
    return;
  mentioned_[id.value] = true;
  std::vector<ObjectId> &files = layout_.sections.with_blank_symbol;
  if (object_->symbols[symbol].in_section() || (!files.empty() && files.back() == id_))
    return;
  files.push_back(id_);
  layout_.sections.locals.push_back({LocalSymbol::Kind::Blank, id_.value});
}

void Merger::create_functions() {
  for (const u32 s : p_.symbols.functions_of[id_.value]) {
    const elf::Symbol &symbol = object_->symbols[s];
    const EntityId id = p_.symbols.of(id_, s);
    if (!id.valid())
      continue;
    leave_blank_symbol(id, s);
    const DefinitionOutcome outcome = p_.symbols.outcome(id_, s);
    if (outcome == DefinitionOutcome::DiscardedForWeak ||
        outcome == DefinitionOutcome::DiscardedForStrong)
      location(symbol.section).discarded = true;
    if (outcome == DefinitionOutcome::Accepted && p_.symbols[id].prevailing != SymbolRef{id_, s})
      overridden_code_[symbol.section] = id;
    beside_strong_[symbol.section] =
        outcome == DefinitionOutcome::DiscardedForStrong ||
        (outcome == DefinitionOutcome::Accepted && symbol.binding() != elf::SymbolBinding::Weak &&
         p_.symbols[id].first_definition != SymbolRef{id_, s});
    if (!p_.is_live(id)) {
      name_discarded_entry(id, s);
      continue;
    }
    list_function(id);
    if (outcome == DefinitionOutcome::Accepted) {
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
    need(layout_.sections.keep_name(".nv.shared.", entity.name),
         shared_section(elf::kFlagInfoLink));
}

// Functions enter the symbol table at their first reference, weak definitions in the local part.
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
  if (entity.first_definition != SymbolRef{id_, symbol_index}) { // overrides an earlier definition
    location(symbol.section) = {.section = layout_.placement.address_of[id.value].section};
    return;
  }
  layout_.placement.address_of[id.value].value = symbol.value;
  if (location(symbol.section).section.valid()) { // an alias
    layout_.placement.address_of[id.value].section = location(symbol.section).section;
    return;
  }
  // An alias that is known before its object is read takes the section over (Q043).
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
  location(symbol.section) = {.section = section};
  if (entity.prevailing == SymbolRef{id_, symbol_index})
    fill_text(layout_.sections[section], text);
  else
    unfilled_text_.push_back(section);
  // A kernel that is not selected is not known to be live yet, unless an earlier object launches
  // it.
  const ObjectId taken_in = p_.calls.taken_in[p_.function_of(id).value];
  const bool launched = is_kernel_mark(entity.other) && taken_in.valid() && taken_in < id_;
  const bool judged_later = p_.live.judged_late && is_kernel_mark(entity.other);
  // A definition of a driver function is no kernel, but gets what a kernel gets (Q140).
  if (!p_.is_selected(id) && !launched && !judged_later && !arch::is_driver_function(symbol.name))
    return;
  layout_.sections.info_of[section.value] =
      add(layout_.sections.keep_name(".nv.info.", symbol.name), function_record_section(section));
  layout_.sections.shared_of[id.value] =
      need_for_kernel(layout_.sections.keep_name(".nv.shared.", symbol.name), section,
                      shared_section(elf::kFlagInfoLink));
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
    const OutId text = location(info.text).section;
    if (location(info.text).discarded || !text.valid() ||
        layout_.sections.info_of[text.value].valid())
      continue;
    const std::string_view function = p_.symbols[layout_.sections[text].function].name;
    layout_.sections.info_of[text.value] =
        add(layout_.sections.keep_name(".nv.info.", function), function_record_section(text));
  }
}

// Code comes from the prevailing definition.
void Merger::fill_text(OutSection &section, const elf::Section &text) const {
  section.size = text.size;
  section.pieces.push_back({0, text.data});
  section.info_top = static_cast<u8>(text.info >> 24);
  if (p_.policy.resolves_early)
    section.flags |= text.flags & elf::kTextBarrierMask;
}

// Sections whose prevailing definition was read after they were created.
void Merger::finish_text() {
  for (const OutId id : unfilled_text_) {
    const SymbolRef prevailing = p_.symbols[layout_.sections[id].function].prevailing;
    const InputObject &object = p_.objects[prevailing.object.value];
    fill_text(layout_.sections[id], object.section(object.symbols[prevailing.symbol].section));
  }
}

Layout merge_inputs(const Program &program) {
  return Merger(program).run();
}

} // namespace culink
