// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "base/worker_pool.h"
#include "link/resolve/search.h"
#include "model/program.h"

namespace culink {

// Reachability in a call graph. A question costs time in proportion to its answer.
class Reach {
public:
  Reach(const CallGraph &calls, const LiveSet &live, WorkerPool &pool);
  Reach(const Reach &) = delete;
  Reach &operator=(const Reach &) = delete;

  // The strongly connected component of a node. Components of callees have smaller numbers.
  [[nodiscard]] u32 component_of(u32 node) const { return component_of_[node]; }
  [[nodiscard]] u32 component_count() const { return component_count_; }
  // All nodes in order of their component: callees before callers.
  [[nodiscard]] const std::vector<u32> &callees_first() const { return callees_first_; }
  // Of these, the components that both call and are called, in the same order: most functions call
  // none, and nobody calls a kernel.
  [[nodiscard]] const std::vector<std::span<const u32>> &inner_components() const {
    return inner_components_;
  }
  // Whether a node can call itself again.
  [[nodiscard]] bool recursive(u32 node) const { return recursive_[component_of_[node]]; }

  // Whether a node has callers.
  [[nodiscard]] bool called(u32 node) const { return !callers_of(node).empty(); }

  // The kernels from which one of `functions` can be reached, ascending; a kernel reaches itself.
  [[nodiscard]] std::vector<FunctionId>
  kernels_reaching(std::span<const FunctionId> functions) const;

  // Functions that `start` reaches, without `start` itself unless it is recursive, ascending.
  [[nodiscard]] std::vector<FunctionId> reached_from(FunctionId start) const;

private:
  void find_callers();
  void find_components();
  void list_inner_components(WorkerPool &pool);
  // Follows a node that the current search meets for the first time.
  [[nodiscard]] Visit mark(u32 node) const {
    if (mark_[node] == search_)
      return Visit::Skip;
    mark_[node] = search_;
    return Visit::Follow;
  }
  [[nodiscard]] std::span<const u32> callers_of(u32 node) const {
    return std::span(callers_).subspan(first_caller_[node],
                                       first_caller_[node + 1] - first_caller_[node]);
  }

  const CallGraph &calls_;
  const LiveSet &live_;
  std::vector<u32> callers_;      // of all nodes, one after the other
  std::vector<u32> first_caller_; // by node, and the end: in callers_
  std::vector<u32> component_of_;
  std::vector<u32> callees_first_;
  std::vector<std::span<const u32>> inner_components_;
  std::vector<bool> recursive_; // by component
  u32 component_count_ = 0;
  mutable std::vector<u32> mark_; // by node: number of the last search that saw it
  mutable u32 search_ = 0;
};

} // namespace culink
