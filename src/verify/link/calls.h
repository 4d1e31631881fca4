// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls between functions, from the call graphs of the inputs.
#pragma once

#include <span>
#include <vector>

#include "verify/link/program.h"

namespace culink::check {

// Nodes are functions, then prototypes: an indirect call goes to its prototype's node, and from
// there to every function of that prototype whose address is taken.
struct Calls {
  std::vector<u32> node_of;   // by entity; kNone for variables
  std::vector<u32> entity_of; // by function node
  std::vector<u32> first;     // by node: index of its first callee; one more at the end
  std::vector<u32> callees;
  std::vector<bool> taken;                        // by function node: its address is taken
  std::vector<std::string_view> prototypes;       // by their nodes
  std::vector<std::pair<u32, u32>> taken_as;      // function node, prototype
  std::vector<std::pair<u32, u32>> declared;      // the same, by definitions and calls
  std::vector<std::pair<u32, u32>> named_targets; // function nodes: caller, possible callee
  // Kernels that may be launched because code or data names them.
  struct Launch {
    u32 from = kNone; // node of the function whose code names it; kNone: data
    u32 object = 0, section = 0;
    u64 offset = 0;
    u32 kernel = 0;
  };
  std::vector<Launch> launches;
  // Cycles of calls. Numbers ascend from callees to callers.
  std::vector<u32> component;
  std::vector<u32> callees_first; // all nodes, by component
  std::vector<bool> circular;     // by component: its nodes reach themselves

  [[nodiscard]] u32 functions() const { return static_cast<u32>(entity_of.size()); }
  [[nodiscard]] const Entity &function(const Program &program, u32 node) const {
    return program.entities[entity_of[node]];
  }
  [[nodiscard]] u32 nodes() const { return static_cast<u32>(component.size()); }
  [[nodiscard]] std::span<const u32> of(u32 node) const {
    return {callees.data() + first[node], first[node + 1] - first[node]};
  }
  // Calls `visit` with each component and its nodes, callees first.
  void each_component(const auto &visit) const {
    for (size_t begin = 0, end = 0; begin < callees_first.size(); begin = end) {
      const u32 number = component[callees_first[begin]];
      while (end < callees_first.size() && component[callees_first[end]] == number)
        ++end;
      visit(number, std::span(callees_first).subspan(begin, end - begin));
    }
  }
};

// Returns the calls of the prevailing definitions; with `all`, also calls of overridden ones. A
// linker may include those (docs/compat.md, Q026); this only makes the output larger.
[[nodiscard]] Calls build_calls(const Program &program, bool all);

// The liveness of each function, by node of a graph.
struct Liveness {
  std::vector<bool> root;    // kernels from which the program starts
  std::vector<bool> reached; // reachable from the roots
  std::vector<bool> needed;  // must be in the output
};
// Returns the functions that are live; with `at_most`, also those that a linker may treat as live.
[[nodiscard]] Liveness find_live(const Program &program, const Calls &calls,
                                 const CheckOptions &options, bool keeps_all, bool at_most);

// The resources of each function, including its callees, by node.
struct Needs {
  std::vector<u32> registers;
  std::vector<u64> stack; // kUnbounded: there is a cycle
  static constexpr u64 kUnbounded = 0xffffffff;
};
[[nodiscard]] Needs sum_up(const Program &program, const Calls &calls);

// The marked functions that each function reaches, including itself.
class ReachedSets {
public:
  ReachedSets(const Calls &calls, const std::vector<bool> &marked);
  // Returns nodes in ascending order.
  [[nodiscard]] const std::vector<u32> &of(u32 node) const {
    return sets_[set_of_[calls_.component[node]]];
  }

private:
  const Calls &calls_;
  std::vector<std::vector<u32>> sets_; // the first is empty
  std::vector<u32> set_of_;            // by component
};

} // namespace culink::check
