// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to merge.cc and merge_data.cc: the state of the walk over the inputs.
#pragma once

#include <array>

#include "link/merge/merge.h"

namespace culink {

class Merger {
public:
  explicit Merger(const Program &program) : p_(program) {}

  [[nodiscard]] Layout run();

private:
  // merge.cc
  void reserve();
  void create_tables();
  void begin(ObjectId id);
  void create_module_records();
  void create_functions();
  void name_pruned_kernel(EntityId id, u32 symbol_index);
  void list_function(EntityId id);
  void create_text(EntityId id, u32 symbol_index);
  void create_function_records();
  void create_relocation_tables();
  void keep_bank2_relocations(const elf::Section &table, const SectionLocation &place);
  void add_relocations(const elf::Section &table, const SectionLocation &place);
  RelocationGroup &relocation_group(OutId target, bool rela);
  // Where the compiler constants of a function are.
  struct Bank2Place {
    OutId section;
    u32 block = kNoIndex;
  };
  enum class Moved : u8 { None, Some, All };
  [[nodiscard]] Moved moved_entries(const elf::Section &table);
  [[nodiscard]] bool names_sections(const elf::Section &table) const;
  void fill_text(OutSection &section, const elf::Section &text) const;
  void finish_text();

  // merge_data.cc
  void create_data();
  void mention_undefined(EntityId id, const elf::Symbol &symbol);
  void create_bank2_symbol(EntityId id, const elf::Symbol &symbol);
  [[nodiscard]] u64 used_size(const elf::Section &bank, bool lost) const;
  [[nodiscard]] std::vector<u64> starts_of_symbols(const elf::Section &bank);
  void append_lost_bank2(const elf::Section &bank);
  void forget_bank2(EntityId function);
  void append_bank2(const elf::Section &bank, OutId text, bool lost);
  void create_bank0_symbol(EntityId id, const elf::Symbol &symbol);
  void define_data(EntityId id, u32 symbol_index);
  OutId place_reserved(EntityId id, const elf::Section &section, const elf::Symbol &symbol);
  OutId place_data(const elf::Section &section);
  OutId append_block(const elf::Section &section);
  void create_function_bank(const elf::Section &section, OutId text);
  void append_parameter_bank(const elf::Section &section);
  [[nodiscard]] bool joins_parameters(const elf::Section &bank) const;
  void create_other_sections();
  void append_debug(const elf::Section &section);
  void create_other_section(const elf::Section &section);
  void place_commons();

  // A new section with its symbol; the same unless one of that name exists; a name alone.
  OutId add(std::string_view name, OutSection &&section);
  OutId need(std::string_view name, OutSection &&section);
  OutId name_only(std::string_view name);

  [[nodiscard]] static OutSection function_record_section(OutId text);
  [[nodiscard]] static OutSection shared_section(u64 more_flags);
  [[nodiscard]] SectionLocation &where(u32 section) {
    return layout_.placement.location_of[id_.value][section];
  }
  void add_unified_entries(const elf::Section &section);
  [[nodiscard]] bool is_about_lost_code(u32 section, u32 symbol) const;
  [[nodiscard]] bool is_all_about_lost_code(const elf::Section &table) const;
  [[nodiscard]] bool in_lost_range(u32 section, u64 offset) const;

  const Program &p_;
  Layout layout_;
  ObjectId id_; // the file being walked
  const InputObject *object_ = nullptr;
  std::vector<u64> extent_;                       // by section of the file: end of its last symbol
  std::vector<std::pair<u32, u64>> bank2_starts_; // of the file: bank and place of each constant
  std::vector<Bank2Place> bank2_of_;              // by FunctionId; empty until there is one
  std::vector<bool> listed_;                      // by EntityId: has its place among the symbols
  std::vector<bool> no_block_;                    // by section of the file: some symbol in it lost
  std::vector<OutId> replaced_text_;              // its code comes from a later file
  std::vector<bool> joins_strong_;      // by section of the file: code of another copy, see Q044
  std::vector<EntityId> replaced_code_; // by section of the file: code that will be replaced
  std::vector<std::array<u32, 2>> group_of_; // by target: number + 1 of its .rel and .rela group
};

} // namespace culink
