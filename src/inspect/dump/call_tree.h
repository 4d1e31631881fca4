// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "inspect/dump/sink.h"
#include "inspect/reader/call_graph.h"

namespace culink::text {

struct CallTreeOptions {
  std::vector<u32> roots; // where to begin
  u64 depth = 0;          // calls followed from a root; 0: all
  bool rest = false;      // also print functions that are not reachable from a root
  bool demangled = false;
};

// Prints a tree as text: each function once, with its callees below it; further occurrences have a
// mark that refers to the first. The size of the output is linear in the graph, at any depth.
void print_call_tree(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                     TextOut &out);

// Returns for each node whether it is reachable from the roots.
[[nodiscard]] std::vector<bool> reached_functions(const std::vector<inspect::CallNode> &nodes,
                                                  const CallTreeOptions &options);

// Returns a text for graphviz, in double quotes.
[[nodiscard]] std::string dot_text(std::string_view text);

// Prints the nodes and edges of the tree for graphviz, without the graph around them. `prefix`
// makes the nodes of several images distinct.
void print_call_dot(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                    std::string_view prefix, TextOut &out);

// Prints a row for each function; calls are row numbers.
void print_call_rows(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                     Sink &sink);

} // namespace culink::text
