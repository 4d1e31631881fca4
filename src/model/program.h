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

#include "base/string_index.h"
#include "base/types.h"
#include "culink/link_facts.h"
#include "model/input_object.h"

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
  bool local = false;
  bool function = false;
  bool dynamic = false;          // extern __shared__ x[]: memory whose size the launch gives
  bool sized = false;            // dynamic in an earlier file, of a fixed size in a later one
  bool weak_over_common = false; // a weak initialised definition overrode a common symbol
  bool opaque = false; // an image that is a parameter of a kernel: its section is the kernel's code
  bool in_local_part = false; // its symbol is among the local ones: its first occurrence was weak
  u64 size = 0;
  u64 common_align = 0; // of a common symbol without a definition

  [[nodiscard]] bool defined() const { return prevailing.valid(); }
  [[nodiscard]] elf::SymbolType type() const { return static_cast<elf::SymbolType>(info & 15); }
  [[nodiscard]] bool weak() const { return info >> 4 == 2; }
};

struct Resolution {
  std::vector<Entity> entities;
  std::vector<std::vector<EntityId>> entity_of; // [object][symbol]; none: a section or no name
  std::vector<std::vector<DefinitionOutcome>> outcome_of; // [object][symbol]
  std::vector<std::vector<u32>> functions_of; // [object]: function symbols in order of reading

  [[nodiscard]] const Entity &operator[](EntityId id) const { return entities[id.value]; }
  [[nodiscard]] EntityId of(ObjectId object, u32 symbol) const {
    return entity_of[object.value][symbol];
  }
  [[nodiscard]] DefinitionOutcome outcome(ObjectId object, u32 symbol) const {
    return outcome_of[object.value][symbol];
  }
};

using PrototypeId = Id<struct PrototypeTag>;

// The successors of each node of a graph, in two vectors: a vector for each node would cost an
// allocation per function of the program.
class EdgeLists {
public:
  // Adds a node with its successors, which are sorted and listed once each.
  void add_node(std::vector<u32> &successors) {
    if (std::is_sorted(successors.rbegin(), successors.rend())) // as objects list calls
      std::reverse(successors.begin(), successors.end());
    else if (!std::is_sorted(successors.begin(), successors.end()))
      std::sort(successors.begin(), successors.end());
    std::unique_copy(successors.begin(), successors.end(), std::back_inserter(to_));
    ends_.push_back(static_cast<u32>(to_.size()));
  }
  void reserve(size_t nodes, size_t edges) {
    ends_.reserve(nodes);
    to_.reserve(edges);
  }
  [[nodiscard]] u32 size() const { return static_cast<u32>(ends_.size()); }
  [[nodiscard]] std::span<const u32> operator[](u32 node) const {
    const u32 begin = node == 0 ? 0 : ends_[node - 1];
    return {to_.data() + begin, ends_[node] - begin};
  }
  // The successors of all nodes, one list after the other.
  [[nodiscard]] std::span<const u32> all() const { return to_; }

private:
  std::vector<u32> ends_; // by node, in to_
  std::vector<u32> to_;
};

// The call graph. Functions are the first nodes (by FunctionId), then comes one node per prototype:
// edges lead from an indirect caller to the prototype, and from there to its address-taken
// functions.
struct CallGraph {
  struct Taken {
    FunctionId function;
    PrototypeId prototype; // none: no object has it
  };

  std::vector<EntityId> functions;              // by FunctionId
  std::vector<FunctionId> function_of;          // by entity; none: not a function
  std::vector<std::vector<FunctionId>> calls;   // as read, with repetitions
  std::vector<std::vector<FunctionId>> targets; // part 4 of .nv.callgraph, as read
  std::vector<Taken> taken;                     // as read, each function once
  std::vector<Taken> indirect;                  // as read, with repetitions
  std::vector<std::string_view> prototypes;     // in order of first appearance
  std::vector<PrototypeId> prototype_of;        // by FunctionId
  std::vector<ObjectId> taken_in; // by FunctionId: first object that takes its address
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

// Which functions are live and why, and which are linked as kernels.
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
