// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the walk over the inputs, private to this room.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "link/merge/merge.h"

namespace culink {

// A name in the string tables.
inline const OutSection kNameOnly = {
    .type = elf::SectionType::Null, .align = 8, .entsize = 16, .presence = Presence::NameOnly};
// The shared memory of a kernel.
inline const OutSection kSharedOfKernel = {.type = elf::SectionType::CudaShared,
                                           .flags = elf::kFlagAlloc | elf::kFlagWrite |
                                                    elf::kFlagInfoLink,
                                           .has_symbol = true};

class Merger {
public:
  explicit Merger(const Program &program);

  [[nodiscard]] Layout run();

private:
  // Where the compiler constants of a function are: in a section or in function_constants.
  struct ConstantsLocation {
    OutId section;
    u32 index = kNoIndex;
  };

  // merge.cc
  void create_tables();
  void create_module_records_of_none();
  void begin(ObjectId id);
  void create_module_records();
  void create_functions();
  void leave_blank_symbol(EntityId id, u32 symbol);
  void name_discarded_entry(EntityId id, u32 symbol_index);
  void list_function(EntityId id);
  void create_text(EntityId id, u32 symbol_index);
  void create_function_records();
  void add_records(EntityId function, OutId text);
  void fill_text(OutId id, const elf::Section &text);
  void finish_text();
  void drop_tables_of_discarded();
  void place_commons();
  void place_common(EntityId id);
  void add_call_sections();

  // merge_relocations.cc
  void create_relocation_tables();
  void keep_constant_relocations(const elf::Section &table, const SectionLocation &at);
  void add_relocations(const elf::Section &table, const SectionLocation &at);
  void count_removed_tables(const elf::Section &table);
  u32 relocation_group(OutId target, bool rela);
  [[nodiscard]] bool has_zero_addend(const elf::Section &table) const;
  [[nodiscard]] bool is_dropped(u32 section, const elf::Relocation &entry) const;
  enum class Shifted : u8 { None, Some, All };
  [[nodiscard]] Shifted shifted_entries(const elf::Section &table) const;
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
  [[nodiscard]] bool joins_parameters(const elf::Section &bank) const;

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
  OutId append_block(const elf::Section &section);
  void create_other_sections();
  [[nodiscard]] bool keeps_unnamed_shared(const elf::Section &section) const;
  void create_unnamed_shared();
  void append_debug(const elf::Section &section);
  void create_other_section(const elf::Section &section);
  void keep_unknown_section(const elf::Section &section);
  void add_unified_entries(const elf::Section &section);
  [[nodiscard]] u64 offset_of_unified(const elf::Symbol &symbol, EntityId named) const;

  // A new section with its symbol.
  OutId add(std::string_view name, const OutSection &section, EntityId function = {}) {
    const OutId id = layout_.sections.add(name, section, function);
    layout_.sections.add_section_symbol(id);
    return id;
  }
  // The newest section of that name, or a new one with its symbol.
  OutId need(std::string_view name, const OutSection &section) {
    const auto [id, is_new] = layout_.sections.find_or_add(name, section);
    if (is_new)
      layout_.sections.add_section_symbol(id);
    return id;
  }
  void name_only(std::string_view name) { need(name, kNameOnly); }
  void name_only_for(std::string_view name, OutId target);

  // The section of that name that belongs to the code of a kernel, and whether it is new. A new one
  // has no symbol yet.
  std::pair<OutId, bool> find_or_add_for_kernel(std::string_view name, const OutSection &section,
                                                OutId text);
  // Adds its symbol, too. The section belongs to the kernel afterwards.
  OutId need_for_kernel(std::string_view name, const OutSection &section, OutId text);

  // Dead code, which has no place in the output.
  [[nodiscard]] static bool is_dead(const SectionLocation &text) {
    return !text.section.valid() && !text.discarded;
  }
  // nvlink creates the sections of dead code and removes them later, but counts them.
  void count_removed_section() {
    if (p_.policy.fills_indices)
      layout_.sections.followed_by_uncounted.push_back(OutId(layout_.sections.size() - 1));
  }

  // True if the symbol table has an entity.
  [[nodiscard]] bool is_listed(EntityId id) const { return listed_[id.value]; }
  void set_listed(EntityId id) {
    const Entity &entity = p_.symbols[id];
    listed_[id.value] = true;
    has_commons_ |= entity.common_align != 0;
    layout_.sections.has_images |= is_image(entity.type()) || entity.opaque;
  }
  [[nodiscard]] SymbolAddress &address_of(EntityId id) {
    return layout_.placement.address_of[id.value];
  }
  [[nodiscard]] SectionLocation &location(u32 section) { return locations_[section]; }
  [[nodiscard]] const SectionLocation &location(u32 section) const { return locations_[section]; }

  const Program &p_;
  Layout layout_;
  std::vector<bool> listed_;                    // by EntityId
  std::vector<ConstantsLocation> constants_of_; // by FunctionId
  std::vector<bool> mentioned_;                 // by EntityId, or empty: an object names it
  std::vector<OutId> unfilled_text_;            // code whose prevailing definition comes later
  std::vector<u32> group_of_;                   // by target: index + 1 of its first group
  std::vector<u32> other_group_;                // by group: index + 1 of the target's other one
  bool discards_sections_ = false;              // some are Presence::Nothing
  bool has_commons_ = false;                    // some entity is a common symbol

  // The object that is being walked.
  ObjectId id_;
  const InputObject *object_ = nullptr;
  std::span<SectionLocation> locations_;
  // By section of that object:
  std::vector<u8> beside_strong_;         // code of a definition that meets a strong one (Q044)
  std::vector<EntityId> overridden_code_; // code that a later definition overrides
  // Found when they are first asked for:
  std::optional<std::vector<u64>> extents_; // by section: the end of its last symbol
  std::optional<std::vector<std::pair<u32, u64>>> constant_starts_; // (bank, offset), sorted
  std::optional<u64> dynamic_align_; // the largest alignment of its dynamic memory
};

} // namespace culink
