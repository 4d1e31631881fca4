// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections and symbols of the output in order of creation. That order is visible in the file
// (string tables, symbol numbers, section table), so nothing is ever reordered or taken out. One
// OutputSections is handed from pass to pass by value: a pass that creates sections takes the list
// and returns it longer.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_index.h"
#include "base/types.h"
#include "base/uninitialized.h"
#include "elf/constants.h"
#include "elf/records/nv_unified.h"
#include "model/piece_list.h"
#include "model/program.h"

namespace culink {

using OutId = Id<struct OutSectionTag>;

inline constexpr u32 kNoIndex = 0xffffffff;

// Whether a section is part of the file.
enum class Emit : u8 {
  IfUsed,    // if it has content; a relocation table, if it has entries
  Always,    // also if it is empty
  NameOnly,  // only its name is, in the string tables
  Discarded, // not even its name
};

struct OutSection {
  std::string_view name;
  elf::SectionType type = elf::SectionType::Progbits;
  u32 name_number = 0; // in OutputSections::names
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  u64 size = 0;
  PieceList pieces;
  OutId target;               // the section this one belongs to: sh_info
  OutId older;                // the section of the same name that was created before this one
  EntityId function;          // of .text: sh_info is its symbol
  OutId records;              // of .text: its .nv.info
  u32 shared_list = kNoIndex; // of a shared section: in OutputSections::shared_lists
  u8 info_top = 0;            // top byte of that sh_info
  bool links_symtab = false;
  Emit emit = Emit::IfUsed;
  bool has_symbol = false; // its section symbol is emitted when the section is

  [[nodiscard]] bool discarded() const { return emit == Emit::Discarded; }
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

// Memory for names that are made up. It is freed as a whole.
class NameStorage {
public:
  [[nodiscard]] char *allocate(size_t size) {
    if (size > left_) [[unlikely]]
      add_block(size);
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }
  // Frees the other one when this one is freed.
  void adopt(std::unique_ptr<NameStorage> other) { others_.push_back(std::move(other)); }

private:
  static constexpr size_t kBlock = 1 << 16;
  [[gnu::noinline]] void add_block(size_t size) {
    left_ = std::max(size, kBlock);
    next_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::unique_ptr<NameStorage>> others_;
  char *next_ = nullptr;
  size_t left_ = 0;
};

struct OutputSections {
  std::vector<OutSection, ZeroedAllocator<OutSection>> list; // by OutId
  std::vector<LocalSymbol, UninitializedAllocator<LocalSymbol>> locals;
  std::vector<EntityId> globals;
  std::vector<SharedInstance> instances;
  std::vector<ObjectId> with_blank_symbol; // ascending (Q161)
  std::vector<UnifiedIdentity> unified;
  bool has_unified_functions = false;
  bool has_images = false; // among the symbols: textures, samplers, surfaces

  // By EntityId of a kernel: its shared section, where it is known
  std::vector<OutId, UninitializedAllocator<OutId>> shared_of;
  std::vector<std::vector<EntityId>> shared_lists; // by OutSection::shared_list
  StringIndex names;                               // of sections
  // By index into `names`: the newest section of that name.
  std::vector<OutId, UninitializedAllocator<OutId>> by_name;
  // The names that keep_name makes. Behind a pointer, so that an OutputSections can be moved.
  std::unique_ptr<NameStorage> name_storage = std::make_unique<NameStorage>();

  std::vector<OutId> created_again; // sections that count twice, see emulate/section_numbers.h
  OutId tkinfo, cuinfo, info, compat, callgraph, prototype, debug_shared;

  [[nodiscard]] OutSection &operator[](OutId id) { return list[id.value]; }
  [[nodiscard]] const OutSection &operator[](OutId id) const { return list[id.value]; }
  [[nodiscard]] u32 size() const { return static_cast<u32>(list.size()); }
  [[nodiscard]] OutId find(std::string_view name) const {
    return find(name, StringIndex::hash_of(name));
  }
  [[nodiscard]] OutId find(std::string_view name, u32 hash) const {
    const std::optional<u32> number = names.find(name, hash);
    return number ? by_name[*number] : OutId{};
  }

  // The section of that name that belongs to `target`, or to none yet. Functions of one name in
  // several files, of which at most one is not local, have sections of one name.
  [[nodiscard]] OutId find_for(std::string_view name, OutId target) const {
    return find_for(name, StringIndex::hash_of(name), target);
  }
  [[nodiscard]] OutId find_for(std::string_view name, u32 hash, OutId target) const {
    OutId id = find(name, hash);
    while (id.valid() && list[id.value].target.valid() && list[id.value].target != target)
      id = list[id.value].older;
    return id;
  }

  // A new section at the end of the list. The name must outlive the link or come from keep_name.
  OutId add(OutSection &&section) {
    const u32 hash = StringIndex::hash_of(section.name);
    return add(std::move(section), hash);
  }
  [[gnu::always_inline]] OutId add(OutSection &&section, u32 hash) {
    const NewName name = take_name(section.name, hash);
    return append(std::move(section), name);
  }
  // The section of that name, or a new one, and whether it is new.
  std::pair<OutId, bool> find_or_add(OutSection &&section) {
    const u32 hash = StringIndex::hash_of(section.name);
    return find_or_add(std::move(section), hash);
  }
  [[gnu::always_inline]] std::pair<OutId, bool> find_or_add(OutSection &&section, u32 hash) {
    const auto [number, is_new] = names.insert(section.name, hash);
    if (!is_new)
      return {by_name[number], false};
    by_name.push_back(OutId(size()));
    return {append(std::move(section), {number, OutId{}}), true};
  }
  // The variables in a shared section, in order of reading.
  [[nodiscard]] const std::vector<EntityId> &shared_variables(OutId id) const {
    static const std::vector<EntityId> kNone;
    const u32 index = list[id.value].shared_list;
    return index == kNoIndex ? kNone : shared_lists[index];
  }
  void add_shared_variable(OutId id, EntityId variable) {
    u32 &index = list[id.value].shared_list;
    if (index == kNoIndex) {
      index = static_cast<u32>(shared_lists.size());
      shared_lists.emplace_back();
    }
    shared_lists[index].push_back(variable);
  }
  void add_section_symbol(OutId id) { locals.push_back({LocalSymbol::Kind::Section, id.value}); }
  void add_local(EntityId id) { locals.push_back({LocalSymbol::Kind::Entity, id.value}); }
  // The concatenation of the two, valid for as long as this object lives.
  [[gnu::always_inline]] std::string_view keep_name(std::string_view prefix,
                                                    std::string_view name) {
    const size_t size = prefix.size() + name.size();
    char *text = name_storage->allocate(size);
    prefix.copy(text, prefix.size()); // of a size that is mostly known where this is compiled
    name.copy(text + prefix.size(), name.size());
    return {text, size};
  }

private:
  struct NewName {
    u32 number;
    OutId older; // the section that had the name
  };
  // The next section that is appended has the name.
  [[gnu::noinline]] NewName take_name(std::string_view name, u32 hash) {
    const OutId id(size());
    const auto [number, is_new] = names.insert(name, hash);
    if (!is_new)
      return {number, std::exchange(by_name[number], id)};
    by_name.push_back(id);
    return {number, OutId{}};
  }
  // Inlined, so that what callers say of a section is written once, into the list; field by field,
  // as in ElfBuilder::fill, and with names for all fields, so that none can be forgotten.
  [[gnu::always_inline]] OutId append(OutSection &&section, NewName name) {
    const OutId id(size());
    OutSection &to = list.emplace_back();
    auto &[text, type, number, flags, align, entsize, size, pieces, target, older, function,
           records, shared_list, info_top, links_symtab, emit, has_symbol] = section;
    to.name = {text.data(), text.size()};
    to.type = type;
    to.name_number = name.number;
    to.flags = flags;
    to.align = align;
    to.entsize = entsize;
    to.size = size;
    std::construct_at(&to.pieces, std::move(pieces));
    to.target = target;
    to.older = name.older;
    to.function = function;
    to.records = records;
    to.shared_list = shared_list;
    to.info_top = info_top;
    to.links_symtab = links_symtab;
    to.emit = emit;
    to.has_symbol = has_symbol;
    return id;
  }
};

} // namespace culink
