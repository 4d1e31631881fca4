// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output as it is being put together: sections and symbols in order of creation, because that
// order is visible in the file (string tables, symbol numbers, section table). A pass that creates
// more takes the list and returns it longer; nothing is ever reordered or taken out.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "elf/constants.h"
#include "elf/records/nv_unified.h"
#include "model/piece_list.h"
#include "model/program.h"

namespace culink {

using OutId = Id<struct OutSectionTag>;

inline constexpr u32 kNoBlock = 0xffffffff;

struct OutSection {
  std::string_view name;
  elf::SectionType type = elf::SectionType::Progbits;
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  u64 size = 0;
  PieceList pieces;
  OutId target;               // the section this one belongs to: sh_info
  EntityId function;          // of .text: sh_info is its symbol
  u32 name_number = 0;        // in Merged::names
  u32 shared_list = kNoBlock; // of a shared section: in Merged::shared_lists
  u8 info_top = 0;            // top byte of that sh_info
  bool links_symtab = false;
  bool name_only = false;  // never emitted
  bool forgotten = false;  // not even its name
  bool keep = false;       // emitted even if empty
  bool has_symbol = false; // its section symbol is emitted when the section is
};

// An entry of the local part of the symbol table.
struct LocalSymbol {
  enum class Kind : u8 { Section, Entity, SharedInstance };
  Kind kind = Kind::Section;
  u32 id = 0; // OutId, EntityId, or a position in Merged::instances
};

// Where one section of an object went.
struct SectionPlace {
  OutId section;
  u64 offset = 0;
  u32 bank2_block = kNoBlock; // a bank of compiler constants that is placed later
  bool lost = false;          // code of a definition that lost
};

struct EntityPlace {
  OutId section;
  u64 value = 0;
  u32 bank2_block = kNoBlock; // in Merged::bank2_blocks: placed later
};

// Entries of one input relocation table for an output section.
struct RelocationSlice {
  ObjectId object;
  u32 section = 0;         // of the object: the table
  u64 base = 0;            // added to r_offset
  u32 previous = kNoSlice; // of the same group, in Merged::slices

  static constexpr u32 kNoSlice = 0xffffffff;
};

struct RelocationGroup {
  OutId table;
  OutId target;
  bool has_addends = false;
  u32 newest = RelocationSlice::kNoSlice; // the slice that was read last; it leads to the others
};

// Relocations of compiler constants of a device function, which machine code does not have: Mercury
// code needs to know where its branch tables point.
struct Bank2Relocations {
  ObjectId object;
  u32 section = 0; // of the object: the table
  u64 base = 0;    // where the object's constants begin in the block
};

// Compiler constants of a device function: copied into the bank of each kernel that reaches it.
struct Bank2Block {
  FunctionId function;
  elf::SectionType type = elf::SectionType::CudaConstant;
  u64 flags = 0;
  u64 align = 1;
  PieceList pieces; // with offsets in the block
  u64 size = 0;
  u64 offset = 0; // in each kernel's bank, once placed
  static constexpr u64 kNone = ~u64{0};
  u64 lost_piece = kNone; // offset of the last piece that came from a copy that lost (Q040)
  // Where each constant begins; all of a copy that lost are one.
  std::vector<u64> parts;
  // In the order of the objects, also those of copies that were replaced.
  std::vector<Bank2Relocations> relocations;
};

// Those of a block as they go to the bank of one kernel, behind the kernel's own.
struct Bank2Tail {
  OutId table;
  OutId bank;
  u32 block = 0;
};

// Bytes of weak data that an earlier file's definition replaces: relocations in them are dropped.
struct LostRange {
  u32 section = 0;
  u64 begin = 0;
  u64 end = 0;
};

// An entry of .nv.uft.entry or .nv.udt.entry.
struct UnifiedIdentity {
  OutId section;
  EntityId named;
  elf::UnifiedEntry entry;
};

// A part of a section that was moved out of its file's block: a variable of a bank that is too
// large, or a unit of a line table.
struct MovedRange {
  u32 section = 0;
  u64 begin = 0;
  u64 end = 0;
  u64 offset = 0; // in the output section
};

// nvlink -r makes one of these weak symbols for each kernel that uses dynamic shared memory.
struct SharedInstance {
  FunctionId kernel;
  u64 value = 0;
};

struct Merged {
  std::vector<OutSection> sections; // by OutId
  std::vector<LocalSymbol> locals;
  std::vector<EntityId> globals;
  std::vector<SharedInstance> instances;
  std::vector<UnifiedIdentity> unified;
  bool has_unified_functions = false;

  std::vector<EntityPlace> place_of;            // by EntityId
  std::vector<std::vector<SectionPlace>> where; // [object][section]
  std::vector<std::vector<LostRange>> lost;     // [object]
  std::vector<std::vector<MovedRange>> moved;   // [object], sorted by section and begin; or empty
  std::vector<RelocationGroup> relocations;
  std::vector<RelocationSlice> slices;             // of all groups
  std::vector<Bank2Block> bank2_blocks;            // in order of creation
  std::vector<Bank2Tail> bank2_tails;              // in output order
  std::vector<OutId> info_of;                      // by OutId of a text section: its .nv.info
  std::vector<OutId> shared_of;                    // by EntityId of a kernel, where it is known
  std::vector<std::vector<EntityId>> shared_lists; // by OutSection::shared_list
  std::vector<bool> forgets_replaced; // by EntityId: a replaced definition had relocations
  std::vector<u64> shared_align;      // by EntityId of a shared variable
  StringIndex names;                  // of sections
  std::vector<OutId> by_name;         // by number in `names`: the newest of that name
  // Where keep_name puts names. Behind a pointer, so that a Merged can be moved.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> name_storage =
      std::make_unique<std::pmr::monotonic_buffer_resource>();

  std::vector<EntityId> bank_sizes;      // symbols that stand for the size of that bank
  std::vector<u64> user_constant_aligns; // of the pieces of the bank of __constant__ variables
  std::vector<bool> dropped;             // by EntityId, or empty: variables that are left out

  bool machine_half = false; // of a file with both forms of code
  bool unsound = false;      // variables do not lie where their symbols say (Q050, Q051)

  u64 null_symbol_value = 0;        // st_value of symbol 0 (Q019)
  std::vector<OutId> created_again; // behind these, nvlink creates a section a second time (Q059)
  OutId tkinfo, cuinfo, info, compat, callgraph, prototype, debug_shared;

  [[nodiscard]] OutSection &operator[](OutId id) { return sections[id.value]; }
  [[nodiscard]] const OutSection &operator[](OutId id) const { return sections[id.value]; }
  [[nodiscard]] OutId find(std::string_view name) const {
    const std::optional<u32> number = names.find(name);
    return number ? by_name[*number] : OutId{};
  }

  // A new section at the end of the list. The name must outlive the link or come from keep_name.
  OutId add(OutSection &&section) {
    const OutId id(static_cast<u32>(sections.size()));
    const auto [number, is_new] = names.insert(section.name);
    if (is_new)
      by_name.push_back(id);
    else
      by_name[number] = id;
    section.name_number = number;
    sections.push_back(std::move(section));
    info_of.emplace_back();
    return id;
  }
  // The same, unless there is one of that name.
  std::pair<OutId, bool> find_or_add(OutSection &&section) {
    const OutId id(static_cast<u32>(sections.size()));
    const auto [number, is_new] = names.insert(section.name);
    if (!is_new)
      return {by_name[number], false};
    by_name.push_back(id);
    section.name_number = number;
    sections.push_back(std::move(section));
    info_of.emplace_back();
    return {id, true};
  }
  // Variables that lie in a shared section, in order of reading.
  [[nodiscard]] const std::vector<EntityId> &shared_variables(OutId id) const {
    static const std::vector<EntityId> kNone;
    const u32 list = sections[id.value].shared_list;
    return list == kNoBlock ? kNone : shared_lists[list];
  }
  void add_shared_variable(OutId id, EntityId variable) {
    u32 &list = sections[id.value].shared_list;
    if (list == kNoBlock) {
      list = static_cast<u32>(shared_lists.size());
      shared_lists.emplace_back();
    }
    shared_lists[list].push_back(variable);
  }
  void add_section_symbol(OutId id) { locals.push_back({LocalSymbol::Kind::Section, id.value}); }
  void add_local(EntityId id) { locals.push_back({LocalSymbol::Kind::Entity, id.value}); }
  // The two joined, for as long as this lives.
  std::string_view keep_name(std::string_view prefix, std::string_view name) {
    const size_t size = prefix.size() + name.size();
    char *text = static_cast<char *>(name_storage->allocate(size, 1));
    name.copy(prefix.copy(text, prefix.size()) + text, name.size());
    return {text, size};
  }
};

} // namespace culink
