// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "support/types.h"

namespace culink {

// What a search does with a node that it meets.
enum class Visit : u8 {
  Skip,   // the node was met before
  Follow, // its successors are searched, too
  Stop,   // the search is finished
};

// The breadth-first search of this folder: all searches for reasons of liveness and for chains of
// calls use it, so that chains are as short as possible. `successors(node)` is a range of nodes;
// `visit(node, from)` remembers what was met. Nodes of `queue` are where the search starts; they
// are met again if an edge leads to them, unless `visit` skips them. Returns the nodes that were
// followed, in order of their distance.
template <class Successors, class VisitNode>
std::vector<u32> search_breadth_first(std::vector<u32> queue, const Successors &successors,
                                      const VisitNode &visit) {
  for (size_t next = 0; next < queue.size(); ++next) {
    const u32 from = queue[next];
    for (const u32 node : successors(from)) {
      const Visit what = visit(node, from);
      if (what == Visit::Stop)
        return queue;
      if (what == Visit::Follow)
        queue.push_back(node);
    }
  }
  return queue;
}

} // namespace culink
