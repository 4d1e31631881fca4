// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the walk over the inputs, private to this room.
#pragma once

#include <array>

#include "link/merge/merge.h"

namespace culink {

class Merger {
public:
  explicit Merger(const Program &program) : p_(program) {}

  [[nodiscard]] Layout run();

private:
  // Where the compiler constants of a function are: in a section or in function_constants.
  struct ConstantsLocation {
    OutId section;
    u32 index = kNoIndex;
  };

  // merge.cc
  void reserve();
  void create_tables();
  void begin(ObjectId id);
  void create_module_records();
  void create_functions();
  void leave_blank_symbol(EntityId id, u32 symbol);
  void name_discarded_entry(EntityId id, u32 symbol_index);
  void list_function(EntityId id);
  void create_text(EntityId id, u32 symbol_index);
  void create_function_records();
  void fill_text(OutSection &section, const elf::Section &text) const;
  void finish_text();

  // merge_relocations.cc
  void create_relocation_tables();
  void keep_constant_relocations(const elf::Section &table, const SectionLocation &at);
  void add_relocations(const elf::Section &table, const SectionLocation &at);
  RelocationGroup &relocation_group(OutId target, bool rela);
  enum class Shifted : u8 { None, Some, All };
  [[nodiscard]] Shifted shifted_entries(const elf::Section &table);
  [[nodiscard]] bool names_sections(const elf::Section &table) const;
  [[nodiscard]] bool describes_discarded_code(u32 section, u32 symbol) const;
  [[nodiscard]] bool describes_only_discarded_code(const elf::Section &table) const;

  // merge_constants.cc
  void define_compiler_constant(EntityId id, const elf::Symbol &symbol);
  [[nodiscard]] u64 constants_size(const elf::Section &bank, bool discarded) const;
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
  void define_opaque(EntityId id, u32 symbol_index);
  void list_undefined(EntityId id, const elf::Symbol &symbol);
  [[nodiscard]] u64 align_of_instance(const elf::Symbol &symbol);
  void define_data(EntityId id, u32 symbol_index);
  OutId place_reserved(EntityId id, const elf::Section &section, const elf::Symbol &symbol);
  OutId place_data(const elf::Section &section);
  OutId append_block(const elf::Section &section);
  void create_other_sections();
  void create_unnamed_shared();
  void append_debug(const elf::Section &section);
  void create_other_section(const elf::Section &section);
  void keep_unknown_section(const elf::Section &section);
  void place_commons();

  // A new section with its symbol; the same unless one of that name exists; a name alone.
  OutId add(std::string_view name, OutSection &&section);
  OutId need(std::string_view name, OutSection &&section);
  OutId name_only(std::string_view name);
  void name_only_for(std::string_view name, OutId target);
  // The section of a kernel: of that name, and of its code.
  OutId need_for_kernel(std::string_view name, OutId text, OutSection &&section);

  [[nodiscard]] static OutSection function_record_section(OutId text);
  [[nodiscard]] static OutSection shared_section(u64 more_flags);
  [[nodiscard]] SectionLocation &location(u32 section) {
    return layout_.placement.location_of[id_.value][section];
  }
  void add_unified_entries(const elf::Section &section);

  const Program &p_;
  Layout layout_;
  ObjectId id_; // the file being walked
  const InputObject *object_ = nullptr;

  // By section of the file being walked:
  std::vector<u64> extent_;               // end of the last symbol
  std::vector<bool> has_discarded_;       // some definition in it is discarded
  std::vector<bool> beside_strong_;       // code of a definition that meets a strong one (Q044)
  std::vector<EntityId> overridden_code_; // code that a later definition overrides
  // (bank, offset) of each compiler constant, sorted; nothing until it is asked for
  std::optional<std::vector<std::pair<u32, u64>>> constant_starts_;
  std::optional<u64> dynamic_align_; // the largest of its dynamic memory, if that was asked for

  std::vector<ConstantsLocation> constants_of_; // by FunctionId; empty until there is one
  std::vector<bool> listed_;                    // by EntityId: is in the symbol table
  std::vector<bool> mentioned_;                 // by EntityId: a file names it
  std::vector<OutId> unfilled_text_;            // code whose prevailing definition comes later
  std::vector<std::array<u32, 2>> group_of_;    // by target: number + 1 of its .rel and .rela group
};

} // namespace culink
