// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call graphs as trees, for graphviz, and as data. What may surprise: the indentation of very deep
// chains would need more columns than any screen has, and more bytes than the file. So a chain that
// reaches the depth kDeepest is continued as a separate tree.
#include "inspect/dump/call_tree.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>

#include "support/demangle.h"

namespace culink::text {

namespace {

constexpr u64 kDeepest = 40;

using inspect::CallEdge;
using inspect::CallNode;

std::string name_in_tree(const CallNode &node, bool demangled) {
  return shown_name(node.name, demangled ? demangle : nullptr);
}

class TreePrinter {
public:
  TreePrinter(const std::vector<CallNode> &nodes, const CallTreeOptions &options, TextOut &out)
      : nodes_(nodes), options_(options), out_(out), shown_(nodes.size(), false) {}

  void print() {
    for (const u32 root : options_.roots)
      print_from(root);
    if (!options_.rest)
      return;
    std::vector<bool> called(nodes_.size(), false);
    for (const CallNode &node : nodes_)
      for (const CallEdge &edge : node.calls)
        called[edge.callee] = true;
    for (const bool also_called : {false, true}) // cycles without a caller outside come last
      for (u32 i = 0; i < nodes_.size(); ++i)
        if (!shown_[i] && (also_called || !called[i]))
          print_from(i);
  }

private:
  struct Line {
    u32 node;
    u64 depth;
    bool possible;
  };

  void print_from(u32 root) {
    if (shown_[root])
      return;
    continued_ = {root};
    while (!continued_.empty()) {
      const u32 start = continued_.front();
      continued_.pop_front();
      print_tree(start);
    }
  }

  void print_tree(u32 root) {
    std::vector<Line> waiting = {{root, 0, false}};
    while (!waiting.empty()) {
      const Line line = waiting.back();
      waiting.pop_back();
      const std::vector<CallEdge> &calls = nodes_[line.node].calls;
      const bool again = shown_[line.node] && line.depth != 0;
      const bool cut = !again && !calls.empty() && line.depth >= deepest();
      put_line(line, again && !calls.empty(), cut);
      if (again || cut)
        continue;
      shown_[line.node] = true;
      for (auto edge = calls.rbegin(); edge != calls.rend(); ++edge)
        waiting.push_back({edge->callee, line.depth + 1, edge->possible});
    }
  }

  [[nodiscard]] u64 deepest() const {
    return options_.depth != 0 ? std::min(options_.depth, kDeepest) : kDeepest;
  }

  void put_line(const Line &line, bool again, bool cut) {
    const CallNode &node = nodes_[line.node];
    out_.fill(' ', 2 + 2 * line.depth);
    out_.name(name_in_tree(node, options_.demangled));
    const bool continues = cut && (options_.depth == 0 || options_.depth > kDeepest);
    const std::pair<bool, std::string_view> marks[] = {
        {node.kernel, "kernel"},
        {node.external, "external"},
        {node.recursive, "recursive"},
        {node.calls_pointers, "calls through pointers"},
        {node.address_taken && !line.possible, "address taken"},
        {line.possible, "through a pointer"},
        {again, "above"},
        {continues, "below"},
        {cut && !continues, "..."},
    };
    std::string text;
    for (const auto &[set, mark] : marks)
      if (set)
        text += (text.empty() ? "  [" : ", ") + std::string(mark);
    out_.put(text.empty() ? text : text + "]");
    out_.put('\n');
    if (!continues)
      return;
    shown_[line.node] = true; // it is printed later, as the root of a tree
    continued_.push_back(line.node);
  }

  const std::vector<CallNode> &nodes_;
  const CallTreeOptions &options_;
  TextOut &out_;
  std::vector<bool> shown_;
  std::deque<u32> continued_; // roots of the trees that continue cut chains
};

} // namespace

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text))
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

void print_call_tree(const std::vector<CallNode> &nodes, const CallTreeOptions &options,
                     TextOut &out) {
  TreePrinter(nodes, options, out).print();
}

std::vector<bool> reached_functions(const std::vector<CallNode> &nodes,
                                    const CallTreeOptions &options) {
  if (options.rest)
    return std::vector<bool>(nodes.size(), true);
  std::vector<bool> reached(nodes.size(), false);
  std::vector<u32> level = options.roots, next;
  for (const u32 root : level)
    reached[root] = true;
  for (u64 depth = 0; !level.empty() && (options.depth == 0 || depth < options.depth); ++depth) {
    next.clear();
    for (const u32 node : level)
      for (const CallEdge &edge : nodes[node].calls)
        if (!reached[edge.callee]) {
          reached[edge.callee] = true;
          next.push_back(edge.callee);
        }
    level.swap(next);
  }
  return reached;
}

void print_call_dot(const std::vector<CallNode> &nodes, const CallTreeOptions &options,
                    std::string_view prefix, TextOut &out) {
  const std::vector<bool> reached = reached_functions(nodes, options);
  const auto id = [&](u32 number) { return std::string(prefix) + std::to_string(number); };
  for (u32 i = 0; i < nodes.size(); ++i) {
    if (!reached[i])
      continue;
    const CallNode &node = nodes[i];
    out.put("  " + id(i) + " [label=" + dot_text(name_in_tree(node, options.demangled)));
    out.put(node.kernel ? ", shape=box" : node.external ? ", style=dotted" : "");
    out.put(node.recursive ? ", color=red" : "");
    out.put(node.calls_pointers ? ", peripheries=2" : "");
    out.put("];\n");
    for (const CallEdge &edge : node.calls)
      if (reached[edge.callee])
        out.put("  " + id(i) + " -> " + id(edge.callee) +
                (edge.possible ? " [style=dashed];\n" : ";\n"));
  }
}

void print_call_rows(const std::vector<CallNode> &nodes, const CallTreeOptions &options,
                     Sink &sink) {
  static constexpr std::array<Column, 8> kColumns{{{"number", "number"},
                                                   {"name", "name"},
                                                   {"kind", "kind"},
                                                   {"recursive", "recursive"},
                                                   {"calls_pointers", "calls_pointers"},
                                                   {"address_taken", "address_taken"},
                                                   {"calls", "calls"},
                                                   {"possible_calls", "possible_calls"}}};
  const std::vector<bool> reached = reached_functions(nodes, options);
  sink.open_list("functions", "Functions", kColumns);
  std::vector<Value> calls, possible;
  for (u32 i = 0; i < nodes.size(); ++i) {
    if (!reached[i])
      continue;
    const CallNode &node = nodes[i];
    const std::string shown = name_in_tree(node, options.demangled);
    sink.open_row();
    sink.cells(kColumns,
               {number(i), name(shown),
                name(node.kernel     ? "kernel"
                     : node.external ? "external"
                                     : "function"),
                flag(node.recursive), flag(node.calls_pointers), flag(node.address_taken)});
    calls.clear();
    possible.clear();
    for (const CallEdge &edge : node.calls)
      if (reached[edge.callee])
        (edge.possible ? possible : calls).push_back(number(edge.callee));
    sink.values(kColumns[6], calls);
    sink.values(kColumns[7], possible);
    sink.close_row();
  }
  sink.close_list();
}

} // namespace culink::text
