// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "link/model/diagnostics.h"
#include "link/model/program.h"
#include "link/resolve/program.h"
#include "link/resolve/search.h"

namespace culink {

// Reachability in a call graph. A query takes time proportional to its result.
class Reach {
public:
  Reach(const CallGraph &calls, const LiveSet &live);
  Reach(const Reach &) = delete;
  Reach &operator=(const Reach &) = delete;

  // The strongly connected component of a node, which has the number of one of its nodes.
  [[nodiscard]] u32 component_of(u32 node) const {
    return component_of_.empty() ? node : component_of_[node];
  }
  // An upper bound: all numbers of components are less.
  [[nodiscard]] u32 component_count() const { return calls_.node_count(); }
  // All nodes, those of a component in a row, and callees before callers.
  [[nodiscard]] std::vector<u32> callees_first() const;
  // The components that both call and are called, in that order: most functions call none, and
  // kernels have no callers.
  [[nodiscard]] const std::vector<std::span<const u32>> &inner_components() const {
    return inner_components_;
  }
  // True if a node can call itself again.
  [[nodiscard]] bool recursive(u32 node) const { return recursive_[node]; }

  // True if a node has callers.
  [[nodiscard]] bool called(u32 node) const { return called_[node]; }

  // The kernels from which one of `functions` can be reached, ascending; a kernel reaches itself.
  [[nodiscard]] std::vector<FunctionId>
  kernels_reaching(std::span<const FunctionId> functions) const;

  // Functions that `start` reaches, without `start` itself unless it is recursive, ascending.
  [[nodiscard]] std::vector<FunctionId> reached_from(FunctionId start) const;

private:
  void find_components(const std::vector<u32> &inner);
  void add_component(std::span<const u32> members);
  void begin_search() const;
  void find_callers() const;
  // Follows a node that the current search meets for the first time.
  [[nodiscard]] Visit mark(u32 node) const {
    if (mark_[node] == search_)
      return Visit::Skip;
    mark_[node] = search_;
    return Visit::Follow;
  }

  const CallGraph &calls_;
  const LiveSet &live_;
  std::vector<bool> called_;      // by node
  std::vector<bool> recursive_;   // by node
  std::vector<u32> component_of_; // by node, or empty: each node is a component by itself
  std::vector<u32> inner_order_;  // of all inner components, one after the other
  std::vector<std::span<const u32>> inner_components_;
  // For questions; made by the first one:
  mutable EdgeLists callers_;
  mutable std::vector<u32> mark_; // by node: number of the last search that saw it
  mutable u32 search_ = 0;
};

// Adds the shortest chain of calls from one function to another to the origins of a message.
void add_call_path(const Program &program, FunctionId from, FunctionId to, Diagnostic &message);

// Adds the shortest chain from a function to one that may call itself again, and the cycle in which
// it does so.
void add_call_cycle(const Program &program, const Reach &reach, FunctionId from,
                    Diagnostic &message);

} // namespace culink
