// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph of one file. What may surprise: functions inside the section of a kernel are not
// in .nv.callgraph; they are added as callees of that kernel. Cycles are found by Kosaraju's
// algorithm with an explicit stack, since a chain of calls may be as long as the file.
#include "inspect/reader/call_graph.h"

#include <algorithm>

#include "elf/records/nv_callgraph.h"
#include "elf/section_kind.h"
#include "inspect/reader/functions.h"

namespace culink::inspect {

namespace {

class CallReader {
public:
  explicit CallReader(const elf::ElfView &file)
      : symbols_(file.symbols()), file_(file), of_symbol_(symbols_.size(), kNoFunction) {}

  std::vector<CallNode> read() {
    const Functions functions(file_);
    for (const FunctionRef &function : functions.all())
      add(function.symbol, symbols_[function.symbol]);
    for (u32 i = 0; i < functions.all().size(); ++i)
      if (const FunctionRef &function = functions.all()[i]; function.value != 0)
        if (const u32 outer = functions.of_section(function.section); outer != kNoFunction)
          nodes_[outer].calls.push_back({i, false});
    for (const elf::Section &section : file_.sections()) {
      const elf::SectionKind kind =
          elf::classify_section(section.name, section.type, section.flags);
      if (kind.role == elf::SectionRole::Callgraph && !kind.mercury)
        add_graph(elf::decode_call_graph(section.data));
    }
    for (CallNode &node : nodes_)
      sort_calls(node.calls);
    return std::move(nodes_);
  }

private:
  u32 add(u32 index, const elf::Symbol &symbol) {
    of_symbol_[index] = static_cast<u32>(nodes_.size());
    CallNode &node = nodes_.emplace_back();
    node.name = symbol.name;
    node.kernel = (symbol.other & elf::kOtherKernel) != 0;
    node.external = !symbol.in_section();
    return of_symbol_[index];
  }

  // A pair may name a symbol without a section; an index without a symbol is ignored.
  u32 number_of(u32 index) {
    if (index == 0 || index >= symbols_.size())
      return kNoFunction;
    return of_symbol_[index] != kNoFunction ? of_symbol_[index] : add(index, symbols_[index]);
  }

  void add_graph(const elf::CallGraph &graph) {
    for (const elf::CallGroup &group : graph.groups)
      for (const elf::CallPair &pair : group.pairs)
        add_pair(group.part, pair);
  }

  void add_pair(elf::CallPart part, const elf::CallPair &pair) {
    const u32 first = number_of(pair.first);
    if (first == kNoFunction)
      return;
    if (part == elf::CallPart::AddressTaken)
      nodes_[first].address_taken = true;
    else if (part == elf::CallPart::IndirectCalls)
      nodes_[first].calls_pointers = true;
    else if (part != elf::CallPart::Unmarked)
      if (const u32 callee = number_of(pair.second); callee != kNoFunction)
        nodes_[first].calls.push_back({callee, part == elf::CallPart::IndirectTargets});
  }

  // Removes duplicates; a certain call is kept rather than a possible one.
  static void sort_calls(std::vector<CallEdge> &calls) {
    std::ranges::sort(calls, [](const CallEdge &a, const CallEdge &b) {
      return a.callee != b.callee ? a.callee < b.callee : a.possible < b.possible;
    });
    const auto rest = std::ranges::unique(calls, {}, &CallEdge::callee);
    calls.erase(rest.begin(), rest.end());
  }

  elf::SymbolTable symbols_;
  const elf::ElfView &file_;
  std::vector<CallNode> nodes_;
  std::vector<u32> of_symbol_;
};

// Returns the nodes in postorder of a depth-first search along calls.
std::vector<u32> in_order_of_leaving(const std::vector<CallNode> &nodes) {
  struct Step {
    u32 node;
    size_t next; // index of its next call
  };
  std::vector<u32> out;
  std::vector<bool> seen(nodes.size(), false);
  std::vector<Step> path;
  const auto enter = [&](u32 node) {
    if (!seen[node])
      path.push_back({node, 0});
    seen[node] = true;
  };
  for (u32 root = 0; root < nodes.size(); ++root)
    for (enter(root); !path.empty();) {
      Step &step = path.back();
      if (const std::vector<CallEdge> &calls = nodes[step.node].calls; step.next < calls.size()) {
        enter(calls[step.next++].callee);
      } else {
        out.push_back(step.node);
        path.pop_back();
      }
    }
  return out;
}

// Marks the nodes of cycles, in reverse postorder: a node and all unvisited nodes that reach it.
void mark_cycles(std::vector<CallNode> &nodes) {
  const std::vector<u32> order = in_order_of_leaving(nodes);
  const std::vector<CallNode> callers = with_callers(nodes);
  std::vector<bool> taken(nodes.size(), false);
  std::vector<u32> cycle;
  for (auto root = order.rbegin(); root != order.rend(); ++root) {
    cycle.clear();
    const auto take = [&](u32 node) {
      if (!taken[node])
        cycle.push_back(node);
      taken[node] = true;
    };
    take(*root);
    for (size_t i = 0; i < cycle.size(); ++i)
      for (const CallEdge &edge : callers[cycle[i]].calls) {
        take(edge.callee);
        nodes[cycle[i]].recursive = nodes[cycle[i]].recursive || edge.callee == cycle[i];
      }
    for (const u32 node : cycle)
      nodes[node].recursive = nodes[node].recursive || cycle.size() > 1;
  }
}

} // namespace

std::vector<CallNode> read_calls(const elf::ElfView &file) {
  std::vector<CallNode> nodes = CallReader(file).read();
  mark_cycles(nodes);
  return nodes;
}

std::vector<CallNode> with_callers(const std::vector<CallNode> &nodes) {
  std::vector<CallNode> out = nodes;
  for (CallNode &node : out)
    node.calls.clear();
  for (u32 i = 0; i < nodes.size(); ++i)
    for (const CallEdge &edge : nodes[i].calls)
      out[edge.callee].calls.push_back({i, edge.possible});
  return out;
}

} // namespace culink::inspect
