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
  bool rest = false;      // then what no root leads to
  bool demangled = false;
};

// A tree for people: each function with what it calls below it, once; where it is met again, a mark
// says that it stands above. The output grows with the graph, however deep it is.
void print_call_tree(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                     TextOut &out);

// The functions that the roots lead to: a mark for each node.
[[nodiscard]] std::vector<bool> reached_functions(const std::vector<inspect::CallNode> &nodes,
                                                  const CallTreeOptions &options);

// A text for graphviz, in double quotes.
[[nodiscard]] std::string dot_text(std::string_view text);

// The tree for graphviz: nodes and edges, to be put into a graph. `prefix` keeps the nodes of
// several images apart.
void print_call_dot(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                    std::string_view prefix, TextOut &out);

// A row for each function; calls are numbers of rows.
void print_call_rows(const std::vector<inspect::CallNode> &nodes, const CallTreeOptions &options,
                     Sink &sink);

} // namespace culink::text
