// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that is linked: its entities and how they call each other. An entity is one function,
// variable or other named thing: all global symbols of one name over all objects, or one local
// symbol of one object.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "culink/link_facts.h"
#include "link/model/input_object.h"
#include "support/string_index.h"
#include "support/types.h"
#include "support/uninitialized.h"

namespace culink {

using EntityId = Id<struct EntityTag>;
using FunctionId = Id<struct FunctionTag>; // dense, in order of first occurrence

// A symbol of an object.
struct SymbolRef {
  ObjectId object;
  u32 symbol = 0;

  [[nodiscard]] bool valid() const { return object.valid(); }
  friend bool operator==(SymbolRef, SymbolRef) = default;
};

// The outcome of one definition when its object was read.
enum class DefinitionOutcome : u8 {
  None,               // not a definition
  Accepted,           // it prevailed; a later one may have overridden it
  DiscardedForWeak,   // an earlier weak definition prevails
  DiscardedForStrong, // an earlier strong definition prevails
};

struct Entity {
  std::string_view name;
  SymbolRef first;            // first occurrence, reference or definition
  SymbolRef first_definition; // first accepted one: decides its order in the output
  SymbolRef prevailing;       // last accepted definition: decides what it is
  u8 info = 0;                // st_info and st_other as they come out of resolution
  u8 other = 0;
  bool local : 1 = false;
  bool function : 1 = false;
  bool dynamic : 1 = false;          // extern __shared__ x[]: its size is given at launch
  bool sized : 1 = false;            // dynamic in an earlier file, of a fixed size in a later one
  bool weak_over_common : 1 = false; // a weak definition was lost beside a common symbol (Q057)
  // An image that is a parameter of a kernel: its section is the kernel's code.
  bool opaque : 1 = false;
  // Its symbol is among the local ones: its first occurrence was weak.
  bool in_local_part : 1 = false;
  u64 size = 0;
  u64 common_align = 0; // of a common symbol without a definition

  [[nodiscard]] bool defined() const { return prevailing.valid(); }
  [[nodiscard]] elf::SymbolType type() const { return static_cast<elf::SymbolType>(info & 15); }
  [[nodiscard]] bool weak() const { return info >> 4 == 2; }
};
static_assert(sizeof(Entity) == 64); // a line of the cache

// A value for each symbol of each object, in one table: threads fill it object by object, and a
// vector for each object would cost an allocation.
template <typename T> class PerSymbol {
public:
  PerSymbol() = default;
  // `starts`: of each object's symbols in the table, and the end. Values are not initialised.
  explicit PerSymbol(std::vector<u64> starts) : starts_(std::move(starts)) {
    values_.resize(starts_.back());
  }

  [[nodiscard]] std::span<T> operator[](u32 object) {
    return {values_.data() + starts_[object], starts_[object + 1] - starts_[object]};
  }
  [[nodiscard]] std::span<const T> operator[](u32 object) const {
    return {values_.data() + starts_[object], starts_[object + 1] - starts_[object]};
  }
  [[nodiscard]] const T &at(u32 object, u32 symbol) const {
    return values_[starts_[object] + symbol];
  }

private:
  std::vector<u64> starts_;
  RawVector<T> values_;
};

// The function symbols of each object in order of reading.
class FunctionLists {
public:
  FunctionLists() = default;
  explicit FunctionLists(const std::vector<u64> &starts)
      : symbols_(starts), counts_(starts.size() - 1) {}

  [[nodiscard]] std::span<const u32> operator[](u32 object) const {
    return symbols_[object].first(counts_[object]);
  }
  // Room for the list of an object, which then has `count` elements.
  [[nodiscard]] std::span<u32> room(u32 object) { return symbols_[object]; }
  void set_size(u32 object, u32 count) { counts_[object] = count; }

private:
  PerSymbol<u32> symbols_; // more room than is used
  std::vector<u32> counts_;
};

using Entities = RawVector<Entity>;

// In the order of their numbers, entities belong to the object that first names them; the
// functions among those of an object come first.
struct Resolution {
  // Entities that an object is the first to name.
  struct Share {
    u32 begin = 0;
    u32 functions_end = 0;
  };

  // A function that was folded into an identical one.
  struct Folded {
    EntityId function;
    EntityId into;
    SymbolRef definition;
  };

  Entities entities;
  PerSymbol<EntityId> entity_of; // [object][symbol]; none: a section or no name
  PerSymbol<DefinitionOutcome> outcome_of;
  FunctionLists functions_of;
  std::vector<Share> shares; // by object
  // Entities that some pass looks for and hardly any program has, ascending.
  std::vector<EntityId> undefined; // not local
  std::vector<EntityId> driver_functions;
  std::vector<EntityId> opaque;
  std::vector<EntityId> weak_over_common;
  std::vector<Folded> folded; // ascending

  [[nodiscard]] const Entity &operator[](EntityId id) const { return entities[id.value]; }
  [[nodiscard]] EntityId of(ObjectId object, u32 symbol) const {
    return entity_of.at(object.value, symbol);
  }
  [[nodiscard]] DefinitionOutcome outcome(ObjectId object, u32 symbol) const {
    return outcome_of.at(object.value, symbol);
  }
};

using PrototypeId = Id<struct PrototypeTag>;

// A list for each node of a graph, in two tables: a vector for each node would cost an allocation
// per function of the program.
template <typename T> class NodeLists {
public:
  NodeLists() = default;
  // `starts`: of each list, and the end. Elements are not initialised; room() is for them.
  explicit NodeLists(std::vector<u32> starts) : starts_(std::move(starts)) {
    elements_.resize(starts_.back());
  }
  explicit NodeLists(const std::vector<std::vector<T>> &lists) {
    for (const std::vector<T> &list : lists)
      add_node(list);
  }

  void add_node(std::span<const T> list) {
    if (starts_.empty())
      starts_.push_back(0);
    elements_.insert(elements_.end(), list.begin(), list.end());
    starts_.push_back(static_cast<u32>(elements_.size()));
  }
  [[nodiscard]] u32 size() const {
    return starts_.empty() ? 0 : static_cast<u32>(starts_.size()) - 1;
  }
  [[nodiscard]] std::span<const T> operator[](u32 node) const {
    return {elements_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }
  [[nodiscard]] std::span<T> room(u32 node) {
    return {elements_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }
  [[nodiscard]] std::span<T> elements() { return elements_; }
  // One list after the other.
  [[nodiscard]] std::span<const T> all() const { return elements_; }

private:
  std::vector<u32> starts_;
  RawVector<T> elements_;
};

using EdgeLists = NodeLists<u32>;

// The call graph. Functions are the first nodes (by FunctionId), then comes one node per prototype:
// edges lead from an indirect caller to the prototype, and from there to its address-taken
// functions.
struct CallGraph {
  struct Taken {
    FunctionId function;
    PrototypeId prototype; // none: no object has it
  };

  std::vector<EntityId> functions;          // by FunctionId
  std::vector<FunctionId> function_of;      // by entity; none: not a function
  NodeLists<FunctionId> calls;              // by FunctionId: as read, with repetitions
  NodeLists<FunctionId> targets;            // part 4 of .nv.callgraph, as read
  std::vector<Taken> taken;                 // as read, each function once
  std::vector<Taken> indirect;              // as read, with repetitions
  std::vector<std::string_view> prototypes; // in order of first appearance
  std::vector<PrototypeId> prototype_of;    // by FunctionId
  std::vector<ObjectId> taken_in;           // by FunctionId: first object that takes its address
  // Functions that an object calls as if they were the driver's, with that object.
  std::vector<std::pair<FunctionId, ObjectId>> driver_calls;
  // Kernels, each with a function in its code: whole programs have such.
  std::vector<std::pair<FunctionId, FunctionId>> inside;

  // Successors of every node, sorted, each once: the graph for reachability.
  EdgeLists edges;

  [[nodiscard]] u32 node_count() const { return edges.size(); }
  [[nodiscard]] u32 node(PrototypeId id) const {
    return static_cast<u32>(functions.size()) + id.value;
  }
};

// Why a function is live.
struct Liveness {
  LiveReason reason = LiveReason::None;
  FunctionId by; // the caller, if the reason is a call

  [[nodiscard]] bool live() const { return reason >= LiveReason::Kernel; }
};

// The live functions, why they are live, and which are linked as kernels.
struct LiveSet {
  std::vector<Liveness> why;  // by FunctionId
  std::vector<bool> live;     // by FunctionId
  std::vector<bool> selected; // by FunctionId: a kernel that was selected, if kernels were selected
  std::vector<bool> demoted;  // by FunctionId: a kernel that was not selected
  std::vector<bool> kernel;   // by FunctionId: an entry point: needs what it reaches
  FunctionId only;            // the kernel that was selected, if it is exactly one
  bool selective = false;     // kernels were selected
  bool by_host = false;       // namely those that host code refers to
  bool judged_late = false;   // by what host code refers to, which is known after the objects are

  [[nodiscard]] bool is_live(FunctionId id) const { return live[id.value]; }
  [[nodiscard]] bool is_kernel(FunctionId id) const { return kernel[id.value]; }
};

} // namespace culink
