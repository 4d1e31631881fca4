// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections and symbols of the output in order of creation. That order is visible in the file
// (string tables, symbol numbers, section table), so nothing is ever reordered or taken out. One
// OutputSections is handed from pass to pass by value: a pass that creates sections takes the list
// and returns it longer.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_index.h"
#include "base/types.h"
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

// What a section has in common with many others.
struct SectionTraits {
  elf::SectionType type = elf::SectionType::Progbits;
  u64 flags = 0;
  u64 entsize = 0;

  friend auto operator<=>(const SectionTraits &, const SectionTraits &) = default;
};

// A section that is to be added.
struct NewSection {
  std::string_view name;
  elf::SectionType type = elf::SectionType::Progbits;
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  u64 size = 0;
  OutId target;
  EntityId function;
  bool links_symtab = false;
  Emit emit = Emit::IfUsed;
  bool has_symbol = false;
};

// There are some six for each function, so what few of them have is elsewhere.
struct OutSection {
  const SectionTraits *traits = nullptr; // OutputSections::set_traits
  PieceList *piece_list = nullptr;       // or null: it has none; OutputSections::pieces
  u64 align = 1;
  u64 size = 0;
  u32 name_number = 0;        // in OutputSections::names
  OutId target;               // the section this one belongs to: sh_info
  EntityId function;          // of .text: sh_info is its symbol
  OutId records;              // of .text: its .nv.info
  u32 shared_list = kNoIndex; // of a shared section: in OutputSections::shared_lists
  u8 info_top = 0;            // top byte of that sh_info
  bool links_symtab = false;
  Emit emit = Emit::IfUsed;
  bool has_symbol = false; // its section symbol is emitted when the section is

  [[nodiscard]] elf::SectionType type() const { return traits->type; }
  [[nodiscard]] u64 flags() const { return traits->flags; }
  [[nodiscard]] u64 entsize() const { return traits->entsize; }
  [[nodiscard]] const PieceList &pieces() const {
    static const PieceList kNone;
    return piece_list ? *piece_list : kNone;
  }
  [[nodiscard]] bool discarded() const { return emit == Emit::Discarded; }
};
static_assert(sizeof(OutSection) == 56);

// What sections refer to: it stays where it is, and is freed as a whole.
class SectionParts {
public:
  [[nodiscard]] const SectionTraits *find_or_add(const SectionTraits &traits) {
    const u64 mixed = static_cast<u64>(traits.type) * 31 + traits.flags * 7 + traits.entsize;
    const SectionTraits *&recent = recent_[(mixed ^ mixed >> 16) % recent_.size()];
    if (!recent || *recent != traits) [[unlikely]]
      recent = &*traits_.insert(traits).first;
    return recent;
  }
  [[nodiscard]] PieceList *add_pieces() {
    if (next_ == end_) [[unlikely]]
      add_block();
    return next_++;
  }

private:
  [[gnu::noinline]] void add_block() {
    constexpr size_t kLists = 512;
    next_ = pieces_.emplace_back(std::make_unique<PieceList[]>(kLists)).get();
    end_ = next_ + kLists;
  }

  std::set<SectionTraits> traits_;
  std::array<const SectionTraits *, 64> recent_{};   // as a rule there are some ten
  std::vector<std::unique_ptr<PieceList[]>> pieces_; // blocks
  PieceList *next_ = nullptr, *end_ = nullptr;       // in the last one
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

private:
  static constexpr size_t kBlock = 1 << 16;
  [[gnu::noinline]] void add_block(size_t size) {
    left_ = std::max(size, kBlock);
    next_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  std::vector<std::unique_ptr<char[]>> blocks_;
  char *next_ = nullptr;
  size_t left_ = 0;
};

struct OutputSections {
  std::vector<OutSection> list; // by OutId
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
  // By OutSection::shared_list
  std::vector<std::vector<EntityId>> shared_lists;
  StringIndex names; // of sections
  // By index into `names`: the newest section of that name.
  std::vector<OutId> by_name;
  // The names that keep_name makes. Behind a pointer, so that an OutputSections can be moved.
  std::unique_ptr<NameStorage> name_storage = std::make_unique<NameStorage>();
  std::unique_ptr<SectionParts> parts = std::make_unique<SectionParts>();

  std::vector<OutId> created_again; // sections that count twice, see emulate/section_numbers.h
  OutId tkinfo, cuinfo, info, compat, callgraph, prototype, debug_shared;

  [[nodiscard]] OutSection &operator[](OutId id) { return list[id.value]; }
  [[nodiscard]] const OutSection &operator[](OutId id) const { return list[id.value]; }
  [[nodiscard]] u32 size() const { return static_cast<u32>(list.size()); }
  [[nodiscard]] std::string_view name(const OutSection &section) const {
    return names[section.name_number];
  }
  [[nodiscard]] std::string_view name(OutId id) const { return name(list[id.value]); }
  [[nodiscard]] OutId older(OutId id) const {
    return id.value < older_of.size() ? older_of[id.value] : OutId{};
  }
  void set_older(OutId id, OutId older) {
    if (id.value >= older_of.size())
      older_of.resize(id.value + 1);
    older_of[id.value] = older;
  }
  void set_traits(OutSection &section, const SectionTraits &traits) {
    section.traits = parts->find_or_add(traits);
  }
  // The pieces of a section, to be changed.
  [[nodiscard]] PieceList &pieces(OutSection &section) {
    if (!section.piece_list)
      section.piece_list = parts->add_pieces();
    return *section.piece_list;
  }
  [[nodiscard]] OutId find(std::string_view name) const {
    const std::optional<u32> number = names.find(name);
    return number ? by_name[*number] : OutId{};
  }

  // The section of that name that belongs to `target`, or to none yet. Functions of one name in
  // several files, of which at most one is not local, have sections of one name.
  [[nodiscard]] OutId find_for(std::string_view name, OutId target) const {
    return find_for(find(name), target);
  }
  // The same, where the newest section of the name is known.
  [[nodiscard]] OutId find_for(OutId newest, OutId target) const {
    OutId id = newest;
    while (id.valid() && list[id.value].target.valid() && list[id.value].target != target)
      id = older(id);
    return id;
  }

  // A new section at the end of the list. The name must outlive the link or come from keep_name.
  OutId add(const NewSection &section) {
    const OutId id(size());
    const auto [number, is_new] = names.insert(section.name);
    if (is_new) {
      by_name.push_back(id);
    } else {
      set_older(id, by_name[number]);
      by_name[number] = id;
    }
    append(section, number);
    return id;
  }
  // The newest section of that name, or a new one, and whether it is new.
  std::pair<OutId, bool> find_or_add(const NewSection &section) {
    const auto [number, is_new] = names.insert(section.name);
    if (!is_new)
      return {by_name[number], false};
    const OutId id(size());
    by_name.push_back(id);
    append(section, number);
    return {id, true};
  }
  // The variables in a shared section, in order of reading.
  [[nodiscard]] std::span<const EntityId> shared_variables(OutId id) const {
    const u32 index = list[id.value].shared_list;
    return index == kNoIndex ? std::span<const EntityId>() : std::span(shared_lists[index]);
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
  [[nodiscard]] std::string_view keep_name(std::string_view prefix, std::string_view name) {
    const size_t size = prefix.size() + name.size();
    char *text = name_storage->allocate(size);
    prefix.copy(text, prefix.size());
    name.copy(text + prefix.size(), name.size());
    return {text, size};
  }

private:
  void append(const NewSection &section, u32 name_number) {
    list.push_back({.traits = parts->find_or_add({section.type, section.flags, section.entsize}),
                    .align = section.align,
                    .size = section.size,
                    .name_number = name_number,
                    .target = section.target,
                    .function = section.function,
                    .links_symtab = section.links_symtab,
                    .emit = section.emit,
                    .has_symbol = section.has_symbol});
  }
};

} // namespace culink
