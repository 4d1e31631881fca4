// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbol resolution: the symbols of all objects become entities, with which all later passes work.
// Objects are read in the order of the command line, in each first the functions and then
// everything else, as nvlink does; entities are numbered in the order in which they are first met.
//
// The entity of a symbol depends only on the symbols of the same name (name_rules.h). So names are
// divided into shards by their hash, and threads work independently in three steps: they list the
// symbols of some objects, by shard; resolve the names of a shard, object after object; and, when
// it is known how many entities each object is the first to name, number those of some objects. A
// symbol that is local to its object needs no shard and gets its entity in the last step. Neither
// numbers nor messages depend on how many shards or threads there are.
//
// What may surprise: if an alias is the first symbol of its name, the function that owns the code
// is numbered before it (Q043).
#include "link/resolve/resolve.h"

#include <algorithm>
#include <bit>

#include "elf/target/arch.h"
#include "elf/target/driver_functions.h"
#include "link/resolve/name_rules.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SymbolBinding;
using elf::SymbolType;

namespace {

constexpr u8 kParameterBank = arch::ConstantBanks{}.parameters;
// Objects that a thread reads or numbers together, and symbols for which a shard is worth while.
constexpr u32 kObjectsTogether = 16;
constexpr u64 kSymbolsOfShard = 8192;
constexpr u64 kMostShards = 64;

// How a symbol gets its entity.
enum class Way : u8 { None, Alone, ByName };

inline Way way_of(const elf::Symbol &symbol) {
  const SymbolType type = symbol.type();
  const bool local = symbol.binding() == SymbolBinding::Local;
  if (type == SymbolType::Section || symbol.name.empty())
    return Way::None;
  if (type == SymbolType::Function)
    return local ? Way::Alone : Way::ByName;
  if (type == SymbolType::NoType ||
      (symbol.undefined() && local && symbol.name != kConstantBankSize))
    return Way::None;
  // A local image may not have the name of something else.
  return local && !is_image(type) ? Way::Alone : Way::ByName;
}

// Sizes of the parameter banks of kernels, by code section.
std::vector<u64> parameter_sizes(const InputObject &object) {
  std::vector<u64> sizes(object.view.sections().size());
  for (const elf::Section &section : object.view.sections())
    if (const elf::SectionKind &kind = object.kinds[section.index];
        kind.role == elf::SectionRole::Constant && kind.bank == kParameterBank && !kind.mercury)
      sizes[object.owner_of(section.index)] = section.size;
  return sizes;
}

class SymbolResolver {
public:
  SymbolResolver(const std::vector<InputObject> &objects, const LinkPolicy &policy,
                 WorkerPool &pool, Diagnostics &diag);

  Resolution run();

private:
  // A symbol that is resolved by its name, and the hash of that.
  struct Listed {
    u32 hash = 0;
    SymbolRef ref;
  };
  // A symbol with the fields that are usually needed, because objects are no longer in the cache
  // when a thread reaches their names.
  struct Copied {
    SymbolRef ref;
    Occurrence occurrence;
    elf::Symbol symbol;
  };
  // The symbols of some objects that are resolved by name, ordered by shard.
  struct Batch {
    RawVector<Copied> symbols;
    std::vector<u32> starts; // of shards, and the end
  };

  void list_symbols(u32 begin, u32 end);
  void list_symbols_of(u32 object, std::vector<u32> &others, std::vector<Listed> &out);
  void list_symbol(u32 object, u32 symbol, std::vector<Listed> &out);
  [[nodiscard]] Occurrence occurrence_of(const Listed &listed, const elf::Symbol &symbol) const;
  [[nodiscard]] const elf::Symbol &symbol_of(const Listed &listed) const {
    return objects_[listed.ref.object.value].symbols[listed.ref.symbol];
  }
  [[nodiscard]] Batch order_by_shard(const std::vector<Listed> &symbols) const;
  void make_shards();
  void resolve_shard(u32 shard);
  void order_aliases(u32 object);
  [[nodiscard]] bool is_used_before(u32 object, const elf::Symbol &symbol,
                                    const std::vector<bool> &done) const;
  // Entities of some objects that are listed apart in the result.
  struct Rare {
    std::vector<EntityId> undefined, driver_functions, opaque, weak_over_common;
    void note(EntityId id, const Entity &entity);
  };

  void number_entities();
  void join_rare();
  void number_entities_of(u32 object, u32 begin, Rare &rare);
  [[nodiscard]] Entity entity_alone(SymbolRef ref);
  void finish_numbers(u32 object);
  void report_in_order();
  [[nodiscard]] u32 shard_of(u32 hash) const {
    return static_cast<u32>((u64{hash} << shard_bits_) >> 32);
  }
  [[nodiscard]] NameRules &shard_of_draft(u32 number) {
    return shards_[number & ((1u << shard_bits_) - 1)];
  }
  void for_objects(const std::function<void(u32)> &work) {
    pool_.for_ranges(count(), kObjectsTogether, [&](u32 begin, u32 end) {
      for (u32 i = begin; i < end; ++i)
        work(i);
    });
  }
  [[nodiscard]] u32 count() const { return static_cast<u32>(objects_.size()); }

  const std::vector<InputObject> &objects_;
  const LinkPolicy &policy_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  u32 shard_bits_ = 0;
  std::vector<Batch> batches_;
  std::vector<NameRules> shards_;
  NameTables tables_;
  std::vector<Rare> rare_; // by batch
  Resolution out_;
};

SymbolResolver::SymbolResolver(const std::vector<InputObject> &objects, const LinkPolicy &policy,
                               WorkerPool &pool, Diagnostics &diag)
    : objects_(objects), policy_(policy), pool_(pool), diag_(diag) {
  std::vector<u64> starts = {0};
  starts.reserve(objects.size() + 1);
  for (const InputObject &object : objects)
    starts.push_back(starts.back() + object.symbols.size());
  const u64 shards = starts.back() / kSymbolsOfShard;
  shard_bits_ = static_cast<u32>(std::bit_width(std::min(std::bit_ceil(shards), kMostShards)) - 1);
  batches_.resize((objects.size() + kObjectsTogether - 1) / kObjectsTogether);
  tables_.entity_of = PerSymbol<EntityId>(starts);
  tables_.outcome_of = PerSymbol<DefinitionOutcome>(starts);
  tables_.parameters.resize(objects.size());
  out_.functions_of = FunctionLists(starts);
  out_.shares.resize(objects.size());
}

Resolution SymbolResolver::run() {
  make_shards();
  pool_.for_ranges(count(), kObjectsTogether,
                   [&](u32 begin, u32 end) { list_symbols(begin, end); });
  pool_.for_each(static_cast<u32>(shards_.size()), [&](u32 shard) { resolve_shard(shard); });
  number_entities();
  join_rare();
  report_in_order();
  out_.entity_of = std::move(tables_.entity_of);
  out_.outcome_of = std::move(tables_.outcome_of);
  return std::move(out_);
}

void SymbolResolver::list_symbols(u32 begin, u32 end) {
  size_t most = 0;
  for (u32 i = begin; i < end; ++i)
    most += objects_[i].symbols.size();
  std::vector<Listed> symbols;
  std::vector<u32> others;
  symbols.reserve(most);
  others.reserve(most);
  for (u32 i = begin; i < end; ++i)
    list_symbols_of(i, others, symbols);
  batches_[begin / kObjectsTogether] = order_by_shard(symbols);
}

inline Occurrence SymbolResolver::occurrence_of(const Listed &listed,
                                                const elf::Symbol &symbol) const {
  constexpr u32 kMost = 0x7fffffff; // more than any function has
  const InputObject &object = objects_[listed.ref.object.value];
  return {.hash = listed.hash,
          .registers = std::min(object.registers[listed.ref.symbol], kMost) & kMost,
          .in_code = is_in_code(object, symbol)};
}

// `others` is memory for symbols that are neither functions nor sections, as `out` is with room.
void SymbolResolver::list_symbols_of(u32 id, std::vector<u32> &others, std::vector<Listed> &out) {
  const InputObject &object = objects_[id];
  const std::span<const elf::Symbol> symbols = object.symbols;
  const std::span<u32> functions = out_.functions_of.room(id);
  std::ranges::fill(tables_.outcome_of[id], DefinitionOutcome::None);
  std::ranges::fill(tables_.entity_of[id], EntityId{});
  u32 function_count = 0;
  bool has_weak_kernel = false;
  others.clear();
  for (u32 s = 1; s < symbols.size(); ++s) {
    const elf::Symbol &symbol = symbols[s];
    if (symbol.type() == SymbolType::Function) {
      functions[function_count++] = s;
      has_weak_kernel |= symbol.binding() == SymbolBinding::Weak && is_kernel_mark(symbol.other);
      list_symbol(id, s, out);
    } else if (symbol.type() != SymbolType::Section) {
      others.push_back(s);
    }
  }
  out_.functions_of.set_size(id, function_count);
  if (has_weak_kernel)
    tables_.parameters[id] = parameter_sizes(object);
  for (const u32 s : others)
    list_symbol(id, s, out);
}

void SymbolResolver::list_symbol(u32 object, u32 s, std::vector<Listed> &out) {
  const elf::Symbol &symbol = objects_[object].symbols[s];
  const Way way = way_of(symbol);
  if (way == Way::Alone)
    tables_.entity_of[object][s] = DraftEntity::without_draft();
  else if (way == Way::ByName)
    out.push_back({StringIndex::hash_of(symbol.name), {ObjectId(object), s}});
}

SymbolResolver::Batch SymbolResolver::order_by_shard(const std::vector<Listed> &symbols) const {
  Batch out;
  out.starts.assign((size_t{1} << shard_bits_) + 1, 0);
  for (const Listed &one : symbols)
    ++out.starts[shard_of(one.hash) + 1];
  for (size_t i = 1; i < out.starts.size(); ++i)
    out.starts[i] += out.starts[i - 1];
  out.symbols.resize(symbols.size());
  std::vector<u32> next = out.starts;
  for (const Listed &one : symbols)
    out.symbols[next[shard_of(one.hash)]++] = {one.ref, occurrence_of(one, symbol_of(one)),
                                               symbol_of(one)};
  return out;
}

void SymbolResolver::make_shards() {
  const u32 shards = 1u << shard_bits_;
  shards_.reserve(shards);
  for (u32 i = 0; i < shards; ++i)
    shards_.emplace_back(objects_, policy_, i, shard_bits_, tables_);
}

void SymbolResolver::resolve_shard(u32 shard) {
  NameRules &rules = shards_[shard];
  for (const Batch &batch : batches_)
    for (u32 i = batch.starts[shard]; i < batch.starts[shard + 1]; ++i)
      rules.read(batch.symbols[i].ref, batch.symbols[i].occurrence, batch.symbols[i].symbol);
}

bool SymbolResolver::is_used_before(u32 object, const elf::Symbol &symbol,
                                    const std::vector<bool> &done) const {
  const u32 hash = StringIndex::hash_of(symbol.name);
  const Entity *named = shards_[shard_of(hash)].find(symbol.name, hash);
  return named && (named->first.object.value < object ||
                   (named->first.object.value == object && done[named->first.symbol]));
}

void SymbolResolver::order_aliases(u32 id) {
  const InputObject &object = objects_[id];
  const std::span<u32> functions = out_.functions_of.room(id);
  std::vector<bool> done(object.symbols.size(), false);
  u32 ordered = 0;
  const auto read = [&](u32 s) {
    if (!done[s])
      functions[ordered++] = s;
    done[s] = true;
  };
  for (u32 s = 1; s < object.symbols.size(); ++s) {
    if (object.symbols[s].type() != SymbolType::Function)
      continue;
    if (const u32 owner = object.owner_of_function(s);
        owner != s && !is_used_before(id, object.symbols[s], done))
      read(owner);
    read(s);
  }
}

inline void SymbolResolver::Rare::note(EntityId id, const Entity &entity) {
  if (!entity.defined() && !entity.local)
    undefined.push_back(id);
  if (entity.opaque)
    opaque.push_back(id);
  if (entity.weak_over_common)
    weak_over_common.push_back(id);
}

void SymbolResolver::number_entities() {
  for (NameRules &shard : shards_)
    shard.make_room_for_numbers();
  std::vector<u32> counts(count());
  for_objects([&](u32 i) {
    if (objects_[i].has_aliases)
      order_aliases(i);
    counts[i] =
        static_cast<u32>(std::ranges::count_if(tables_.entity_of[i], DraftEntity::is_first));
  });
  u32 entities = 0;
  for (u32 &begin : counts)
    entities += std::exchange(begin, entities);
  out_.entities.resize(entities);
  rare_.resize(batches_.size());
  for_objects([&](u32 i) { number_entities_of(i, counts[i], rare_[i / kObjectsTogether]); });
  for_objects([&](u32 i) { finish_numbers(i); });
  for (const NameRules &shard : shards_)
    for (const u32 draft : shard.driver_functions())
      out_.driver_functions.emplace_back(shard.entity_at(draft));
}

void SymbolResolver::join_rare() {
  const auto join = [&](std::vector<EntityId> &list, std::vector<EntityId> Rare::*part) {
    for (const Rare &rare : rare_)
      list.insert(list.end(), (rare.*part).begin(), (rare.*part).end());
  };
  join(out_.undefined, &Rare::undefined);
  join(out_.driver_functions, &Rare::driver_functions);
  std::ranges::sort(out_.driver_functions);
  join(out_.opaque, &Rare::opaque);
  join(out_.weak_over_common, &Rare::weak_over_common);
}

// Functions in their order, then all other symbols.
void SymbolResolver::number_entities_of(u32 object, u32 next, Rare &rare) {
  const std::span<EntityId> entity_of = tables_.entity_of[object];
  const auto number = [&](u32 s) {
    const EntityId draft = entity_of[s];
    if (!DraftEntity::is_first(draft))
      return;
    const u32 entity = next++;
    entity_of[s] = DraftEntity::final(entity);
    if (DraftEntity::has_draft(draft)) {
      const u32 from = draft.value & DraftEntity::kMask;
      NameRules &shard = shard_of_draft(from);
      shard.entity_of_draft(from) = entity;
      out_.entities[entity] = shard.draft(from);
    } else {
      out_.entities[entity] = entity_alone({ObjectId(object), s});
      if (out_.entities[entity].function && arch::is_driver_function(out_.entities[entity].name))
        rare.driver_functions.emplace_back(entity);
    }
    rare.note(EntityId(entity), out_.entities[entity]);
  };
  out_.shares[object].begin = next;
  for (const u32 s : out_.functions_of[object])
    number(s);
  out_.shares[object].functions_end = next;
  for (u32 s = 1; s < entity_of.size(); ++s)
    number(s);
}

// Returns the entity of a symbol that does not share it with another symbol.
Entity SymbolResolver::entity_alone(SymbolRef ref) {
  const InputObject &object = objects_[ref.object.value];
  const elf::Symbol &symbol = object.symbols[ref.symbol];
  Entity out = new_entity(ref, symbol, policy_);
  if (!out.function && symbol.common()) {
    out.common_align = std::max<u64>(symbol.value, 1);
  } else if (out.function ? is_in_code(object, symbol) : symbol.in_section()) {
    out.first_definition = out.prevailing = ref;
    tables_.outcome_of[ref.object.value][ref.symbol] = DefinitionOutcome::Accepted;
  }
  return out;
}

void SymbolResolver::finish_numbers(u32 object) {
  for (EntityId &id : tables_.entity_of[object])
    if (DraftEntity::is_final(id))
      id.value &= ~DraftEntity::kFinal;
    else if (id.valid())
      id.value = shard_of_draft(id.value).entity_of_draft(id.value);
}

// Messages come in the order in which symbols were read.
void SymbolResolver::report_in_order() {
  std::vector<NameRules::Message> all;
  for (NameRules &shard : shards_) {
    std::vector<NameRules::Message> some = shard.take_messages();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  if (all.empty())
    return;
  std::vector<std::vector<u32>> positions(objects_.size()); // of symbols, where there are messages
  const auto position = [&](SymbolRef ref) {
    std::vector<u32> &of_object = positions[ref.object.value];
    if (of_object.empty()) {
      const u32 symbols = static_cast<u32>(objects_[ref.object.value].symbols.size());
      for (u32 s = 0; s < symbols; ++s)
        of_object.push_back(symbols + s);
      u32 next = 0;
      for (const u32 s : out_.functions_of[ref.object.value])
        of_object[s] = next++;
    }
    return std::pair(ref.object, of_object[ref.symbol]);
  };
  std::ranges::stable_sort(all, {}, [&](const auto &one) { return position(one.symbol); });
  for (NameRules::Message &message : all)
    diag_.add(std::move(message.text));
}

} // namespace

Resolution resolve_symbols(const std::vector<InputObject> &objects, const LinkPolicy &policy,
                           WorkerPool &pool, Diagnostics &diag) {
  return SymbolResolver(objects, policy, pool, diag).run();
}

} // namespace culink
