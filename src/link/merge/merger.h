// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the walk over the inputs, or over a chunk of them, private to this room.
#pragma once

#include <span>

#include "link/merge/chunk.h"
#include "link/merge/merge.h"
#include "link/nvlink/section_owners.h"

namespace culink {

class Merger {
public:
  // For the objects from `begin` to `end`. What earlier objects do is not known unless there are
  // none; see chunk.h.
  Merger(const Program &program, MergeTables &tables, u32 begin, u32 end)
      : p_(program), t_(tables), begin_(begin), end_(end),
        alone_(begin == 0 && end == program.objects.size()) {}

  [[nodiscard]] MergedChunk run();

private:
  // chunk.cc
  void reserve();

  // merge.cc
  void create_tables();
  void create_module_records_of_none();
  void merge_object(ObjectId id);
  void begin(ObjectId id);
  void create_module_records();
  void create_functions();
  void leave_blank_symbol(EntityId id, u32 symbol);
  void name_discarded_entry(EntityId id, u32 symbol_index);
  void list_function(EntityId id);
  void create_text(EntityId id, u32 symbol_index, u32 family);
  void create_function_records();
  void fill_text(OutSection &section, const elf::Section &text);
  void finish_text();

  // merge_relocations.cc
  void create_relocation_tables();
  void keep_constant_relocations(const elf::Section &table, const SectionLocation &at);
  void add_relocations(const elf::Section &table, const SectionLocation &at);
  // `section`: of the file, which is part of the target. `own_name`: of its table.
  RelocationGroup &relocation_group(u32 section, bool rela, std::string_view own_name);
  [[nodiscard]] bool has_zero_addend(const elf::Section &table) const;
  [[nodiscard]] bool is_dropped(u32 section, const elf::Relocation &entry) const;
  enum class Shifted : u8 { None, Some, All };
  [[nodiscard]] Shifted shifted_entries(const elf::Section &table);
  [[nodiscard]] bool is_shifted(u32 section);
  [[nodiscard]] bool names_sections(const elf::Section &table) const;
  [[nodiscard]] bool describes_discarded_code(u32 section, u32 symbol) const;
  [[nodiscard]] bool describes_only_discarded_code(const elf::Section &table) const;

  // merge_constants.cc
  void define_compiler_constant(EntityId id, const elf::Symbol &symbol);
  [[nodiscard]] u64 constants_size(const elf::Section &bank, bool discarded);
  [[nodiscard]] std::vector<u64> starts_of_constants(const elf::Section &bank);
  void append_discarded_constants(const elf::Section &bank);
  void discard_constants(EntityId function);
  void append_constants(const elf::Section &bank, OutId text, bool discarded);
  void define_parameter(EntityId id, const elf::Symbol &symbol);
  void create_function_bank(const elf::Section &section, OutId text);
  void append_parameter_bank(const elf::Section &section);
  [[nodiscard]] bool joins_parameters(const elf::Section &bank);

  // merge_data.cc
  void create_data();
  [[nodiscard]] u64 end_of_symbols(u32 section);
  void define_opaque(EntityId id, u32 symbol_index);
  void list_undefined(EntityId id, const elf::Symbol &symbol);
  void align_dynamic(EntityId id, const elf::Symbol &symbol);
  [[nodiscard]] u64 align_of_instance(const elf::Symbol &symbol);
  void define_data(EntityId id, u32 symbol_index);
  void discard_data(EntityId id, const elf::Symbol &symbol, DefinitionOutcome outcome);
  OutId place_reserved(EntityId id, const elf::Section &section, const elf::Symbol &symbol);
  OutId place_data(const elf::Section &section);
  OutId place_shared(const elf::Section &section, u32 owner, OutId text);
  OutId append_block(const elf::Section &section);
  void create_other_sections();
  void create_unnamed_shared();
  void append_debug(const elf::Section &section);
  // A block that is to be appended once more if an earlier chunk has its section.
  void note_block(const elf::Section &section, MergedChunk::Block &&block);
  void create_other_section(const elf::Section &section);
  void keep_unknown_section(const elf::Section &section);
  void add_unified_entries(const elf::Section &section);
  [[nodiscard]] u64 offset_of_unified(const elf::Symbol &symbol, EntityId named);

  // A new section with its symbol; the same unless one of that name exists; a name alone.
  [[gnu::always_inline]] OutId add(std::string_view name, u32 hash, const NewSection &section) {
    const OutId id = layout_.sections.add(name, hash, section);
    layout_.sections.add_section_symbol(id);
    return id;
  }
  OutId add(std::string_view name, const NewSection &section) {
    return add(name, StringIndex::hash_of(name), section);
  }
  [[gnu::always_inline]] OutId add(std::string_view name, u32 hash, const OutSection &model,
                                   OutId target) {
    const OutId id = layout_.sections.add(name, hash, model);
    layout_.sections[id].target = target;
    layout_.sections.add_section_symbol(id);
    return id;
  }
  OutId need(std::string_view name, const NewSection &section) {
    return need(name, StringIndex::hash_of(name), section);
  }
  template <typename Made>
  [[gnu::always_inline]] OutId need(std::string_view name, u32 hash, const Made &made) {
    const auto [id, is_new] = layout_.sections.find_or_add(name, hash, made);
    if (is_new) {
      layout_.sections.add_section_symbol(id);
      if (!alone_)
        out_.shared.push_back(id);
    }
    return id;
  }
  OutId name_only(std::string_view name) { return name_only(name, StringIndex::hash_of(name)); }
  OutId name_only(std::string_view name, u32 hash) { return need(name, hash, models_.name); }
  void name_only_for(std::string_view name, u32 hash, OutId target);
  // The section of a kernel, of that name and of its code, and whether it is new. A new one has no
  // symbol yet.
  template <typename Made>
  [[gnu::always_inline]] std::pair<OutId, bool>
  find_or_add_for_kernel(std::string_view name, u32 hash, OutId text, const Made &made) {
    const auto [newest, is_new] = layout_.sections.find_or_add(name, hash, made);
    if (is_new)
      return {newest, true};
    if (const OutId id = nvlink::section_of_kernel(p_, layout_.sections, newest, text); id.valid())
      return {id, false};
    return {layout_.sections.add(name, hash, made), true};
  }
  // The same with its symbol.
  template <typename Made>
  [[gnu::always_inline]] OutId need_for_kernel(std::string_view name, u32 hash, OutId text,
                                               const Made &made) {
    const auto [id, is_new] = find_or_add_for_kernel(name, hash, text, made);
    if (is_new)
      layout_.sections.add_section_symbol(id);
    return take_for_kernel(id, text);
  }
  OutId take_for_kernel(OutId id, OutId text) {
    note_lookup(id);
    if (!layout_.sections[id].target.valid())
      layout_.sections[id].target = text;
    return id;
  }
  // The prefix and the name as one. `known`: a name of the file that may be the same.
  [[nodiscard, gnu::always_inline]] std::string_view
  join_name(std::string_view prefix, std::string_view name, std::string_view known) {
    return known.size() == prefix.size() + name.size() && known.starts_with(prefix) &&
                   known.ends_with(name)
               ? known
               : layout_.sections.keep_name(prefix, name);
  }
  // The hash of the name of a section that belongs to code of the file, or to none (0).
  [[nodiscard]] u32 hash_of(std::string_view name, u32 code) const {
    const Family &family = families_[code];
    return !family.name.empty() && ends_in(name, family.name)
               ? StringIndex::hash_of(name, family.name, family.hash)
               : StringIndex::hash_of(name);
  }
  // The same for a name that consists of that prefix, a dot and the name of the function.
  [[nodiscard]] u32 hash_of_own(u32 prefix, std::string_view name, u32 code) const {
    const Family &family = families_[code];
    return family.name.empty() ? StringIndex::hash_of(name)
                               : StringIndex::join_hashes(prefix, family.hash);
  }
  // The same for a table of relocations of what a section of the file has become. The prefix is
  // that of tables of code.
  [[nodiscard, gnu::always_inline]] u32 hash_of_table(u32 prefix, std::string_view name,
                                                      u32 section) const {
    return families_[section].name.empty() ? hash_of(name, object_->owner_of(section))
                                           : hash_of_own(prefix, name, section);
  }
  // Whether a name ends in a dot and the name of a function.
  [[nodiscard]] static bool ends_in(std::string_view name, std::string_view function) {
    return function.size() < name.size() && name[name.size() - function.size() - 1] == '.' &&
           name.ends_with(function);
  }
  // The newest section of that name, or none.
  [[nodiscard]] OutId find(std::string_view name);

  // Whether the symbol table has an entity, also from an earlier chunk; if not, it will.
  [[nodiscard]] bool is_listed(EntityId id) {
    if (alone_ || p_.symbols[id].first.object.value >= begin_)
      return t_.listed[id.value] != 0;
    out_.assumed_listed.push_back(id); // at its first occurrence
    return true;
  }
  void set_listed(EntityId id) {
    const Entity &entity = p_.symbols[id];
    t_.listed[id.value] = 1;
    out_.has_commons |= entity.common_align != 0;
    layout_.sections.has_images |= is_image(entity.type()) || entity.opaque;
  }
  void set_address(EntityId id, const SymbolAddress &address) {
    SymbolAddress &known = t_.address_of[id.value];
    if (!alone_ && !known.section.valid() && known.constants == kNoIndex)
      out_.addressed.push_back(id);
    known = address;
  }
  // Whether definitions in other chunks decide about an entity that is defined in this one.
  [[nodiscard]] bool is_defined_elsewhere(const Entity &entity) const {
    return !alone_ &&
           (!is_here(entity.first_definition.object) || !is_here(entity.prevailing.object));
  }
  [[nodiscard]] bool is_here(ObjectId object) const {
    return object.value >= begin_ && object.value < end_;
  }
  // Something depends on other chunks in a way that is not foreseen.
  void refuse() { out_.refused = true; }
  void note_lookup(OutId found) {
    if (!alone_)
      out_.looked_up.push_back(layout_.sections[found].name_number);
  }

  [[nodiscard]] static NewSection shared_section(u64 more_flags);
  [[nodiscard]] SectionLocation &location(u32 section) { return locations_[section]; }

  const Program &p_;
  MergeTables &t_;
  const u32 begin_, end_; // objects
  const bool alone_;      // there is no other chunk
  MergedChunk out_;
  Layout &layout_ = out_.layout;
  ObjectId id_; // the file being walked
  const InputObject *object_ = nullptr;
  std::span<SectionLocation> locations_;

  // Sections of which functions have one each, but for their names and targets.
  struct Models {
    OutSection rel, rela, records, shared, name;
  };
  [[nodiscard]] Models make_models();
  const Models models_ = make_models();

  // Hashes of what is before the names of functions in names of their sections.
  struct Prefixes {
    u32 text = StringIndex::hash_of_prefix(".text");
    u32 info = StringIndex::hash_of_prefix(".nv.info");
    u32 shared = StringIndex::hash_of_prefix(".nv.shared");
    u32 rel = StringIndex::hash_of_prefix(".rel.text");
    u32 rela = StringIndex::hash_of_prefix(".rela.text");
  };
  const Prefixes prefixes_;

  // The name of a function, unless it has a dot, and its hash: its sections have names that end so,
  // and its code is .text.<function>.
  struct Family {
    std::string_view name;
    u32 hash = 0;
    u32 records = 0; // of code: its .nv.info section in the file
  };
  std::vector<u32> function_hashes_; // of the functions of the file being walked

  // By section of the file being walked:
  std::vector<Family> families_;
  std::vector<u8> beside_strong_;         // code of a definition that meets a strong one (Q044)
  std::vector<EntityId> overridden_code_; // code that a later definition overrides
  // The end of the last symbol in a section; nothing until it is asked for
  std::optional<std::vector<u64>> extents_;
  // (bank, offset) of each compiler constant, sorted; nothing until it is asked for
  std::optional<std::vector<std::pair<u32, u64>>> constant_starts_;
  std::optional<u64> dynamic_align_; // the largest of its dynamic memory, if that was asked for

  bool discards_sections_ = false;   // some are Emit::Discarded
  std::vector<bool> mentioned_;      // by EntityId: a file names it
  std::vector<OutId> unfilled_text_; // code whose prevailing definition comes later
  std::vector<u32> group_of_;        // by target: number + 1 of its first group
  std::vector<u32> other_group_;     // by group: number + 1 of the target's other one
};

} // namespace culink
