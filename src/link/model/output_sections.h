// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections and symbols of the output in order of creation. That order is visible in the file
// (string tables, symbol numbers, section table), so nothing is ever reordered or taken out.
// Sections are those of the file from the beginning, under the same ids. One OutputSections is
// passed from pass to pass by value: a pass that creates sections takes it and returns it with more
// sections.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/records/nv_unified.h"
#include "elf/section_table.h"
#include "link/model/program.h"
#include "support/types.h"

namespace culink {

using OutId = elf::SectionId;
using OutSection = elf::OutSection;
using Piece = elf::SectionPiece;
using Presence = elf::Presence;

inline constexpr u32 kNoIndex = 0xffffffff;

// Properties of a section that only the linker needs.
struct SectionDetails {
  EntityId function;          // of .text: sh_info is its symbol
  OutId records;              // of .text: its .nv.info
  u32 shared_list = kNoIndex; // of a shared section: in OutputSections::shared_lists
  u8 info_top = 0;            // of .text: the top byte of sh_info
};

// An entry of the local part of the symbol table.
struct LocalSymbol {
  enum class Kind : u8 { Section, Entity, SharedInstance, Blank };
  Kind kind = Kind::Section;
  u32 id = 0; // OutId, EntityId, an index into OutputSections::instances, ObjectId
};

// An entry of .nv.uft.entry or .nv.udt.entry.
struct UnifiedIdentity {
  OutId section;
  EntityId named;
  elf::UnifiedEntry entry;
};

// nvlink -r makes one of these weak symbols for each kernel that uses dynamic shared memory.
struct SharedInstance {
  FunctionId kernel;
  u64 value = 0;
};

struct OutputSections {
  elf::SectionTable table;
  std::vector<SectionDetails> details =
      std::vector<SectionDetails>(elf::SectionTable::kOwnTables); // by OutId
  // By OutId: the section of the same name that was created before; empty or shorter than the list
  // if there is none.
  std::vector<OutId> older_of;
  std::vector<LocalSymbol> locals;
  std::vector<EntityId> globals;
  std::vector<SharedInstance> instances;
  std::vector<ObjectId> with_blank_symbol; // ascending (Q161)
  std::vector<UnifiedIdentity> unified;
  bool has_unified_functions = false;
  bool has_images = false; // among the symbols: textures, samplers, surfaces

  // By EntityId of a kernel: its shared section, where it is known
  std::vector<OutId> shared_of;
  // By SectionDetails::shared_list
  std::vector<std::vector<EntityId>> shared_lists;
  // By index into the names of the table: the newest section of that name, or none. The tables that
  // every file has are none, in case an input has a section of such a name.
  std::vector<OutId> newest = std::vector<OutId>(elf::SectionTable::kOwnTables);

  // After each of these, which are in order, nvlink counts one section more; see
  // nvlink/section_owners.h.
  std::vector<OutId> followed_by_uncounted;
  OutId tkinfo, cuinfo, info, compat, callgraph, prototype, debug_shared;

  void reserve(size_t count) {
    table.list.reserve(count);
    table.names.reserve(static_cast<u32>(count));
    details.reserve(count);
    newest.reserve(count);
    locals.reserve(count);
  }

  [[nodiscard]] OutSection &operator[](OutId id) { return table[id]; }
  [[nodiscard]] const OutSection &operator[](OutId id) const { return table[id]; }
  [[nodiscard]] u32 size() const { return table.size(); }
  [[nodiscard]] std::string_view name(OutId id) const { return table.name(id); }
  [[nodiscard]] std::string_view name(const OutSection &section) const {
    return table.name(section);
  }
  // The function that a code section belongs to.
  [[nodiscard]] EntityId function(OutId id) const { return details[id.value].function; }
  // The .nv.info section of code.
  [[nodiscard]] OutId records(OutId id) const { return details[id.value].records; }
  [[nodiscard]] OutId older(OutId id) const {
    return id.value < older_of.size() ? older_of[id.value] : OutId{};
  }
  [[nodiscard]] OutId find(std::string_view name) const {
    const std::optional<u32> number = table.names.find(name);
    return number ? newest[*number] : OutId{};
  }

  // The section of that name that belongs to `target`, or to none yet. Functions of one name in
  // several files, of which at most one is not local, have sections of one name.
  [[nodiscard]] OutId find_for(std::string_view name, OutId target) const {
    return find_for(find(name), target);
  }
  // `newest_of_name`: what find() returns for the name.
  [[nodiscard]] OutId find_for(OutId newest_of_name, OutId target) const {
    OutId id = newest_of_name;
    while (id.valid() && table[id].target().valid() && table[id].target() != target)
      id = older(id);
    return id;
  }

  // A new section at the end of the list, perhaps with the code of a function. The name must
  // outlive the link or come from keep_name.
  OutId add(std::string_view name, const OutSection &section, EntityId function = {}) {
    return add(table.names.insert(name).first, section, function);
  }
  // The newest section of that name, or a new one, and whether it is new.
  std::pair<OutId, bool> find_or_add(std::string_view name, const OutSection &section) {
    const u32 number = table.names.insert(name).first;
    if (number < newest.size() && newest[number].valid())
      return {newest[number], false};
    return {add(number, section, {}), true};
  }
  // The variables in a shared section, in order of reading.
  [[nodiscard]] std::span<const EntityId> shared_variables(OutId id) const {
    const u32 index = details[id.value].shared_list;
    return index == kNoIndex ? std::span<const EntityId>() : std::span(shared_lists[index]);
  }
  void add_shared_variable(OutId id, EntityId variable) {
    u32 &index = details[id.value].shared_list;
    if (index == kNoIndex) {
      index = static_cast<u32>(shared_lists.size());
      shared_lists.emplace_back();
    }
    shared_lists[index].push_back(variable);
  }
  void add_section_symbol(OutId id) { locals.push_back({LocalSymbol::Kind::Section, id.value}); }
  void add_local(EntityId id) { locals.push_back({LocalSymbol::Kind::Entity, id.value}); }
  // The concatenation of the two, valid for as long as the table lives.
  [[nodiscard]] std::string_view keep_name(std::string_view prefix, std::string_view name) {
    return table.storage.keep(prefix, name);
  }

private:
  OutId add(u32 name, OutSection section, EntityId function) {
    const OutId id(size());
    if (name >= newest.size()) {
      newest.push_back(id);
    } else if (const OutId older = std::exchange(newest[name], id); older.valid()) {
      older_of.resize(id.value + 1);
      older_of[id.value] = older;
    }
    section.name = name;
    table.list.push_back(section);
    details.push_back({.function = function});
    return id;
  }
};

} // namespace culink
