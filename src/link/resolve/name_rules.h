// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which the symbols of one name become one entity, and the tables in which threads
// that resolve different names put what they find.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "link/model/diagnostics.h"
#include "link/model/link_policy.h"
#include "link/model/program.h"
#include "support/string_index.h"

namespace culink {

// Facts about a symbol that is resolved by its name, besides the symbol itself.
struct Occurrence {
  u32 hash = 0;           // of the name
  u32 registers : 31 = 0; // of a function
  u32 in_code : 1 = 0;    // it is in a code section
};

// The provisional entity of a symbol, until entities have their numbers: the number of a draft,
// with the shard in its lowest bits, and whether the symbol is the first of its entity. A symbol
// that is the only one of its entity may have no draft. Later this is the number of the entity
// itself.
struct DraftEntity {
  static constexpr u32 kFinal = 0x80000000;
  static constexpr u32 kFirst = 0x40000000;
  static constexpr u32 kMask = kFirst - 1;

  static EntityId number(u32 draft, bool first) { return EntityId(draft | (first ? kFirst : 0)); }
  static EntityId without_draft() { return EntityId(kMask | kFirst); }
  static EntityId final(u32 entity) { return EntityId(entity | kFinal); }

  static bool has_draft(EntityId id) { return (id.value & kMask) != kMask; }
  // Not final, and the first symbol of its entity.
  static bool is_first(EntityId id) { return (id.value & (kFinal | kFirst)) == kFirst; }
  static bool is_final(EntityId id) { return id.valid() && (id.value & kFinal) != 0; }
};

// The results for all names. Threads write to different elements.
struct NameTables {
  PerSymbol<EntityId> entity_of; // as in DraftEntity
  PerSymbol<DefinitionOutcome> outcome_of;
  std::vector<std::vector<u64>> parameters; // by object with weak kernels, and code section: bytes
};

// An entity as its first symbol declares it.
[[nodiscard]] Entity new_entity(SymbolRef ref, const elf::Symbol &symbol, const LinkPolicy &policy);

// True if a symbol is in a code section of its object.
[[nodiscard]] inline bool is_in_code(const InputObject &object, const elf::Symbol &symbol) {
  return symbol.in_section() && object.kinds[symbol.section].is_code();
}

// Resolves the names of one shard: all symbols of each of these names are read here.
class NameRules {
public:
  // A message, and the symbol that was read.
  struct Message {
    SymbolRef symbol;
    Diagnostic text;
  };

  NameRules(const std::vector<InputObject> &objects, const LinkPolicy &policy, u32 shard,
            u32 shard_bits, NameTables &tables)
      : objects_(objects), policy_(policy), shard_(shard), shard_bits_(shard_bits),
        tables_(tables) {}

  // Symbols of one name must come in the order of the objects, functions first.
  void read(SymbolRef ref, const Occurrence &next, const elf::Symbol &symbol);
  [[nodiscard]] const Entity *find(std::string_view name, u32 hash) const;
  [[nodiscard]] std::vector<Message> take_messages();

  // Positions of drafts of functions that the driver has.
  [[nodiscard]] std::span<const u32> driver_functions() const { return driver_functions_; }

  // A draft of this shard by its number, and the number of the entity that it becomes.
  [[nodiscard]] const Entity &draft(u32 number) const { return drafts_[number >> shard_bits_]; }
  [[nodiscard]] u32 entity_at(u32 position) const { return entity_of_draft_[position]; }
  void make_room_for_numbers() { entity_of_draft_.resize(drafts_.size()); }
  [[nodiscard]] u32 &entity_of_draft(u32 number) { return entity_of_draft_[number >> shard_bits_]; }

private:
  void read_function(SymbolRef ref, const elf::Symbol &symbol);
  void read_data(SymbolRef ref, const elf::Symbol &symbol);
  void read_opaque(SymbolRef ref, const elf::Symbol &symbol);
  [[nodiscard]] bool has_other_kind(const Entity &known, SymbolRef ref, const elf::Symbol &symbol,
                                    bool opaque);
  [[nodiscard]] bool agrees_with_images(SymbolRef ref, const elf::Symbol &symbol, bool opaque);
  [[nodiscard]] bool is_alias(SymbolRef ref) const;
  void define_function(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  void define_data(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  void merge_common(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  [[nodiscard]] bool may_differ_in_size(const Entity &entity, SymbolRef ref,
                                        const elf::Symbol &symbol) const;
  [[nodiscard]] bool is_initialised(SymbolRef ref) const;
  [[nodiscard]] bool prevails_over_common(SymbolRef ref) const;
  [[nodiscard]] bool prevails_over_weak(SymbolRef ref, const Entity &entity) const;
  [[nodiscard]] u64 parameter_bytes(SymbolRef kernel) const;
  void compare_parameters(const Entity &kernel, SymbolRef ref);
  [[nodiscard]] bool compatible(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
    return agree(entity, symbol) || !report_disagreement(entity, ref, symbol);
  }
  [[nodiscard]] static bool agree(const Entity &entity, const elf::Symbol &symbol);
  [[nodiscard]] bool report_disagreement(const Entity &entity, SymbolRef ref,
                                         const elf::Symbol &symbol);
  void report_duplicate(const Entity &entity, SymbolRef ref);
  void report_other_kind(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol);

  // The largest common symbol of the name that `ref` has.
  [[nodiscard]] SymbolRef largest_common(SymbolRef ref) const {
    const auto found = largest_common_.find(draft_of(ref));
    return found == largest_common_.end() ? ref : found->second;
  }
  [[nodiscard]] const elf::Symbol &symbol_of(SymbolRef ref) const {
    return objects_[ref.object.value].symbols[ref.symbol];
  }
  // The entity of a symbol, and whether this is its first occurrence.
  std::pair<Entity *, bool> entity_for(SymbolRef ref, const elf::Symbol &symbol);
  void add_draft(SymbolRef ref, const elf::Symbol &symbol);
  // The position of a symbol's entity in drafts_, and what the table of symbols has for it.
  [[nodiscard]] u32 draft_of(SymbolRef ref) const {
    const u32 entity = tables_.entity_of[ref.object.value][ref.symbol].value;
    return (entity & DraftEntity::kMask) >> shard_bits_;
  }
  [[nodiscard]] EntityId entity_for_draft(u32 position, bool first) const {
    return DraftEntity::number(position << shard_bits_ | shard_, first);
  }
  DefinitionOutcome &outcome(SymbolRef ref) {
    return tables_.outcome_of[ref.object.value][ref.symbol];
  }
  [[nodiscard]] const std::string &file(SymbolRef ref) const {
    return objects_[ref.object.value].name;
  }
  [[nodiscard]] Origin origin(SymbolRef ref, std::string detail = {}) const {
    return objects_[ref.object.value].origin({}, std::move(detail));
  }
  // The file that nvlink names for an entity. For an image it does not know the file.
  [[nodiscard]] std::string named_file(const Entity &entity, SymbolRef ref) const {
    return is_image(entity.type()) ? "<input>" : file(ref);
  }
  Diagnostic &report(DiagId id, SymbolRef ref, std::vector<std::string> arguments) {
    reported_.push_back(ref);
    return diag_.report(id, std::move(arguments)).in_step(objects_[ref.object.value].step);
  }
  [[nodiscard]] u32 registers(SymbolRef ref) const {
    return objects_[ref.object.value].registers[ref.symbol];
  }

  const std::vector<InputObject> &objects_;
  const LinkPolicy &policy_;
  const u32 shard_;
  const u32 shard_bits_;
  NameTables &tables_;
  const Occurrence *reading_ = nullptr; // of the symbol that is read
  NameSlots names_;                     // of drafts
  Entities drafts_;
  std::vector<u32> driver_functions_; // positions in drafts_
  std::vector<u32> entity_of_draft_;
  std::map<u32, SymbolRef> largest_common_; // by draft of a common symbol
  std::map<std::string_view, u32> opaque_;  // drafts by name, where names decide
  Diagnostics diag_;
  std::vector<SymbolRef> reported_; // of each message
};

} // namespace culink
