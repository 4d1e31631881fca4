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
// Large links are merged by several threads, each of which walks over a chunk of the files
// (chunk.h).
//
// Discarded functions are treated as if they were not there. A definition that is discarded for an
// earlier one contributes nothing; one that overrides an earlier one contributes its bytes at the
// earlier one's position. All later passes read the Layout that comes out.
#include "link/merge/merge.h"

#include <algorithm>
#include <numeric>

#include "arch/driver_functions.h"
#include "base/bytes.h"
#include "elf/text_info.h"
#include "link/merge/merger.h"
#include "link/nvlink/section_owners.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

namespace {

// Whether a name is that of the code of a function.
bool is_text_of(std::string_view name, std::string_view function) {
  constexpr std::string_view kText = ".text.";
  return name.size() == kText.size() + function.size() && name.starts_with(kText) &&
         name.ends_with(function);
}

} // namespace

MergedChunk Merger::run() {
  if (begin_ == 0)
    create_tables();
  if (p_.objects.empty())
    create_module_records_of_none();
  reserve();
  mentioned_.assign(p_.policy.leaves_blank_symbols ? p_.symbols.entities.size() : 0, false);
  for (u32 i = begin_; i < end_; ++i)
    merge_object(ObjectId(i));
  if (discards_sections_)
    for (const RelocationGroup &group : layout_.relocs.groups)
      if (layout_.sections[group.target].discarded())
        layout_.sections[group.table].emit = Emit::Discarded;
  finish_text();
  return std::move(out_);
}

void Merger::merge_object(ObjectId id) {
  begin(id);
  create_module_records();
  create_functions();
  create_data();
  create_other_sections();
  create_function_records();
  create_relocation_tables();
  create_unnamed_shared();
}

void Merger::create_module_records_of_none() {
  layout_.sections.info = need(".nv.info", {.type = SectionType::CudaInfo, .align = 4});
  layout_.sections[layout_.sections.info].emit = Emit::NameOnly;
  if (p_.arch.has_compat && !p_.policy.old_abi)
    layout_.sections.compat =
        need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
}

// The notes come right after the tables that the writer itself creates.
void Merger::create_tables() {
  if (p_.policy.old_abi)
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
  t_.location_of[id.value] = TableVector<SectionLocation>(
      object_->view.sections().size(), SectionLocation{}, object_->view.table_memory());
  locations_ = t_.location_of[id.value];
  extents_.reset();
  constant_starts_.reset();
  dynamic_align_.reset();
  beside_strong_.assign(object_->view.sections().size(), false);
  overridden_code_.assign(object_->view.sections().size(), EntityId{});
  if (id.value + 1 < end_)
    p_.objects[id.value + 1].prefetch_names();
  families_.assign(object_->view.sections().size(), {});
  for (const InputObject::Info &info : object_->infos)
    families_[info.text].records = info.section;
  function_hashes_.clear();
  constexpr size_t kManyEntities = 8192; // too many for names to be in the cache
  if (p_.symbols.entities.size() < kManyEntities)
    return;
  for (const u32 s : p_.symbols.functions_of[id.value]) {
    function_hashes_.push_back(StringIndex::family_of(object_->symbols[s].name));
    layout_.sections.names.expect(function_hashes_.back());
  }
}

void Merger::name_only_for(std::string_view name, u32 hash, OutId target) {
  const auto [newest, is_new] = layout_.sections.find_or_add(name, hash, models_.name);
  OutId id = newest;
  if (is_new) {
    layout_.sections[id].target = target;
    layout_.sections.add_section_symbol(id);
  } else if (id = layout_.sections.find_for(newest, target); !id.valid()) {
    id = add(name, hash, models_.name, target);
  }
  note_lookup(id);
}

OutId Merger::find(std::string_view name) {
  const OutId id = layout_.sections.find(name);
  if (id.valid())
    note_lookup(id);
  else if (!alone_)
    out_.absent.push_back(name);
  return id;
}

void Merger::create_module_records() {
  // Objects that relocatable links made of data alone have none, but its name is in the output.
  layout_.sections.info =
      need(".nv.info", {.type = SectionType::CudaInfo, .align = 4, .links_symtab = true});
  if (p_.policy.old_abi)
    return;
  // Where the target has it, the output does, even if all objects are of toolkit 12, which have
  // none.
  if (layout_.sections.compat.valid())
    return;
  if (p_.arch.has_compat || !object_->compats.empty())
    layout_.sections.compat =
        need(".nv.compat", {.type = SectionType::CudaCompat, .align = 4, .emit = Emit::Always});
}

// Once in each file.
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
  for (size_t i = 0; i < functions.size(); ++i) {
    const u32 s = functions[i];
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
      continue;
    }
    if (!is_listed(id))
      list_function(id);
    if (accepted && is_defined_elsewhere(entity)) {
      refuse();
    } else if (accepted) {
      discard_constants(id);
      create_text(id, s,
                  function_hashes_.empty() ? StringIndex::family_of(symbol.name)
                                           : function_hashes_[i]);
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
  set_listed(id);
  const Entity &entity = p_.symbols[id];
  if (entity.local || entity.in_local_part)
    layout_.sections.add_local(id);
  else
    layout_.sections.globals.push_back(id);
}

void Merger::create_text(EntityId id, u32 symbol_index, u32 family) {
  const elf::Symbol &symbol = object_->symbols[symbol_index];
  const Entity &entity = p_.symbols[id];
  const elf::Section &text = object_->section(symbol.section);
  if (entity.first_definition != SymbolRef{id_, symbol_index}) { // overrides an earlier definition
    location(symbol.section).set(t_.address_of[id.value].section, 0);
    return;
  }
  if (const OutId known = location(symbol.section).section; known.valid()) { // an alias
    set_address(id, {known, symbol.value});
    return;
  }
  // An alias that is known before its object is read takes the section over (Q043).
  const bool is_owner = object_->owner_of_code(symbol.section) == symbol_index;
  const std::string_view name =
      is_owner ? text.name : layout_.sections.keep_name(".text.", symbol.name);
  if (is_text_of(name, symbol.name) && symbol.name.find('.') == symbol.name.npos)
    families_[symbol.section] = {symbol.name, family, families_[symbol.section].records};
  const OutId section = add(name, hash_of_own(prefixes_.text, name, symbol.section),
                            {.type = text.type,
                             .flags = elf::kFlagAlloc | elf::kFlagExec,
                             .align = text.align,
                             .entsize = text.entsize,
                             .function = id,
                             .links_symtab = true,
                             .has_symbol = true});
  set_address(id, {section, symbol.value});
  location(symbol.section).set(section, 0);
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
  const std::string_view info =
      join_name(".nv.info.", symbol.name, object_->section(families_[symbol.section].records).name);
  const OutId records =
      add(info, hash_of_own(prefixes_.info, info, symbol.section), models_.records, section);
  layout_.sections[section].records = records;
  const std::string_view shared = layout_.sections.keep_name(".nv.shared.", symbol.name);
  t_.shared_of[id.value] = need_for_kernel(
      shared, hash_of_own(prefixes_.shared, shared, symbol.section), section, models_.shared);
  if (!alone_)
    out_.with_shared.push_back(id);
}

Merger::Models Merger::make_models() {
  NewSection table{.type = SectionType::Rel,
                   .flags = elf::kFlagInfoLink,
                   .align = 8,
                   .entsize = 16,
                   .links_symtab = true};
  Models made;
  made.rel = layout_.sections.model_of(table);
  table.type = SectionType::Rela;
  table.entsize = 24;
  made.rela = layout_.sections.model_of(table);
  made.records = layout_.sections.model_of({.type = SectionType::CudaInfo,
                                            .flags = elf::kFlagInfoLink,
                                            .align = 4,
                                            .links_symtab = true,
                                            .emit = Emit::Always});
  made.shared = layout_.sections.model_of(shared_section(elf::kFlagInfoLink));
  made.name = layout_.sections.model_of(
      {.type = SectionType::Null, .align = 8, .entsize = 16, .emit = Emit::NameOnly});
  return made;
}

NewSection Merger::shared_section(u64 more_flags) {
  return {.type = SectionType::CudaShared,
          .flags = elf::kFlagAlloc | elf::kFlagWrite | more_flags,
          .has_symbol = true};
}

void Merger::create_function_records() {
  for (const InputObject::Info &info : object_->infos) {
    if (info.text == 0)
      continue;
    const OutId text = location(info.text).section;
    if (location(info.text).discarded || !text.valid() || layout_.sections[text].records.valid())
      continue;
    const std::string_view function = p_.symbols[layout_.sections[text].function].name;
    const std::string_view name =
        join_name(".nv.info.", function, object_->section(info.section).name);
    const OutId records =
        add(name, hash_of_own(prefixes_.info, name, info.text), models_.records, text);
    layout_.sections[text].records = records;
  }
}

// Code comes from the prevailing definition.
void Merger::fill_text(OutSection &section, const elf::Section &text) {
  section.size = text.size;
  layout_.sections.pieces(section).push_back({0, text.data});
  section.info_top = static_cast<u8>(text.info >> 24);
  if (const u64 barriers = text.flags & elf::kTextBarrierMask;
      barriers != 0 && p_.policy.resolves_early)
    layout_.sections.set_traits(section,
                                {section.type(), section.flags() | barriers, section.entsize()});
}

// Sections whose prevailing definition was read after they were created.
void Merger::finish_text() {
  for (const OutId id : unfilled_text_) {
    const SymbolRef prevailing = p_.symbols[layout_.sections[id].function].prevailing;
    const InputObject &object = p_.objects[prevailing.object.value];
    fill_text(layout_.sections[id], object.section(object.symbols[prevailing.symbol].section));
  }
}

namespace {

// Common symbols get memory after the blocks of all files, the newest symbol first.
void place_commons(const Program &p, Layout &layout) {
  const auto allocate = [&](EntityId id) {
    const Entity &entity = p.symbols[id];
    if (entity.common_align == 0 || entity.defined() || p.policy.keeps_all_relocations)
      return;
    const auto [section, is_new] =
        layout.sections.find_or_add({.name = ".nv.global",
                                     .type = SectionType::CudaGlobal,
                                     .flags = elf::kFlagAlloc | elf::kFlagWrite,
                                     .has_symbol = true});
    if (is_new)
      layout.sections.add_section_symbol(section);
    OutSection &out = layout.sections[section];
    out.emit = Emit::Always; // even if all it holds is empty
    const u64 offset = align_up(out.size, entity.common_align);
    out.align = std::max(out.align, entity.common_align);
    out.size = offset + entity.size;
    layout.placement.address_of[id.value] = {section, offset};
  };
  for (size_t i = layout.sections.globals.size(); i-- > 0;)
    allocate(layout.sections.globals[i]);
  // A common symbol that was a weak definition first is in the local part of the symbol table.
  for (size_t i = layout.sections.locals.size(); i-- > 0;)
    if (layout.sections.locals[i].kind == LocalSymbol::Kind::Entity)
      allocate(EntityId(layout.sections.locals[i].id));
}

OutId add_last(OutputSections &sections, const NewSection &section) {
  const auto [id, is_new] = sections.find_or_add(section);
  if (is_new)
    sections.add_section_symbol(id);
  return id;
}

Layout finish(const Program &program, MergedChunk &&merged, MergeTables &&tables) {
  Layout layout = std::move(merged.layout);
  layout.placement.address_of = std::move(tables.address_of);
  layout.placement.location_of = std::move(tables.location_of);
  layout.placement.shared_align = std::move(tables.shared_align);
  layout.sections.shared_of = std::move(tables.shared_of);
  layout.relocs.discarded = std::move(tables.discarded);
  layout.relocs.has_overridden.assign(program.symbols.entities.size(), false);
  for (const EntityId id : merged.overridden)
    layout.relocs.has_overridden[id.value] = true;
  if (merged.has_commons)
    place_commons(program, layout);
  layout.sections.callgraph = add_last(layout.sections, {.name = ".nv.callgraph",
                                                         .type = SectionType::CudaCallgraph,
                                                         .align = 4,
                                                         .entsize = 8,
                                                         .links_symtab = true,
                                                         .emit = Emit::Always,
                                                         .has_symbol = true});
  layout.sections.prototype = add_last(layout.sections, {.name = ".nv.prototype",
                                                         .type = SectionType::CudaPrototype,
                                                         .align = 4,
                                                         .entsize = 8,
                                                         .links_symtab = true,
                                                         .has_symbol = true});
  return layout;
}

// Where chunks start, and the end. A small link, and one whose rules look at all files, has one.
std::vector<u32> cut_into_chunks(const Program &p, const WorkerPool &pool) {
  constexpr u64 kFewSections = 2048; // more are worth a chunk
  constexpr u64 kOfEntity = 4;       // a new name is as much work as so many sections
  // Some chunks take longer than others; but the more there are, the longer it takes to join them.
  const u64 per_thread = pool.threads() > 4 ? 4 : 1;
  const u32 objects = static_cast<u32>(p.objects.size());
  std::vector<u64> sizes(objects);
  for (u32 i = 0; i < objects; ++i)
    sizes[i] = p.objects[i].view.sections().size();
  const u64 sections = std::accumulate(sizes.begin(), sizes.end(), u64{0});
  const u64 work = sections + kOfEntity * count_entities(p, 0, objects);
  std::vector<u32> starts = {0};
  const u64 chunks = std::min(pool.threads() * per_thread, sections / kFewSections);
  if (chunks > 1 && !p.policy.leaves_blank_symbols) {
    u64 seen = 0;
    for (u32 i = 0; i + 1 < objects; ++i) {
      seen += sizes[i] + kOfEntity * count_entities(p, i, i + 1);
      if (seen >= starts.size() * work / chunks)
        starts.push_back(i + 1);
    }
  }
  starts.push_back(objects);
  return starts;
}

std::optional<Layout> merge_in_chunks(const Program &program, std::span<const u32> starts,
                                      WorkerPool &pool) {
  MergeTables tables(program, pool);
  std::vector<MergedChunk> chunks(starts.size() - 1);
  pool.for_each(static_cast<u32>(chunks.size()), [&](u32 i) {
    chunks[i] = Merger(program, tables, starts[i], starts[i + 1]).run();
  });
  std::optional<MergedChunk> joined;
  if (chunks.size() == 1)
    joined = std::move(chunks[0]);
  else
    joined = join_chunks(program, tables, std::move(chunks), starts, pool);
  if (!joined)
    return std::nullopt;
  return finish(program, std::move(*joined), std::move(tables));
}

} // namespace

Layout merge_inputs(const Program &program, WorkerPool &pool) {
  std::optional<Layout> layout = merge_in_chunks(program, cut_into_chunks(program, pool), pool);
  if (!layout) {
    const u32 all[] = {0, static_cast<u32>(program.objects.size())};
    layout = merge_in_chunks(program, all, pool);
  }
  return std::move(*layout);
}

} // namespace culink
