// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reachability in the call graph. Most functions are leaves or kernels; such a node is a component
// by itself. Only the nodes between are searched for strongly connected components, by Tarjan's
// algorithm with an explicit stack, because a chain of calls may be long. Components come out
// callees first, so that one forward sweep over them (records/inherit.cc) propagates registers or
// stack sizes from callees to callers. Questions about single functions are searches of their own,
// over callers or over callees; a mark with the number of the search saves clearing a table for
// each. Few programs need an answer, so the first question makes the tables for them.
#include "link/resolve/reach.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "link/resolve/search.h"

namespace culink {

Reach::Reach(const CallGraph &calls, const LiveSet &live)
    : calls_(calls), live_(live), called_(calls.node_count()), recursive_(calls.node_count()) {
  for (const u32 callee : calls_.edges.all())
    called_[callee] = true;
  std::vector<u32> inner;
  for (u32 node = 0; node < calls_.node_count(); ++node)
    if (called(node) && !calls_.edges[node].empty())
      inner.push_back(node);
  find_components(inner);
}

// `inner`: the nodes that both call and are called, ascending.
void Reach::find_components(const std::vector<u32> &inner) {
  constexpr u32 kUnseen = 0xffffffff;
  std::vector<u32> number_of(inner.empty() ? 0 : calls_.node_count()); // of inner nodes, in `inner`
  for (u32 i = 0; i < inner.size(); ++i)
    number_of[inner[i]] = i;
  std::vector<u32> index(inner.size(), kUnseen), low(inner.size()), stack; // by number
  std::vector<bool> found(inner.size());                                   // its component
  std::vector<std::pair<u32, u32>> work;                                   // (number, next callee)
  u32 next_index = 0;
  inner_order_.reserve(inner.size()); // parts of which are components
  for (u32 root = 0; root < inner.size(); ++root) {
    if (index[root] == kUnseen)
      work.emplace_back(root, 0);
    while (!work.empty()) {
      auto &[node, next] = work.back();
      if (next == 0) {
        index[node] = low[node] = next_index++;
        stack.push_back(node);
      }
      if (const std::span<const u32> callees = calls_.edges[inner[node]]; next < callees.size()) {
        const u32 callee = callees[next++];
        if (calls_.edges[callee].empty())
          continue;
        if (const u32 number = number_of[callee]; index[number] == kUnseen)
          work.emplace_back(number, 0);
        else if (!found[number])
          low[node] = std::min(low[node], index[number]);
        continue;
      }
      const u32 done = node;
      work.pop_back();
      if (!work.empty())
        low[work.back().first] = std::min(low[work.back().first], low[done]);
      if (low[done] != index[done])
        continue;
      const size_t first = inner_order_.size();
      u32 member = 0;
      do {
        member = stack.back();
        stack.pop_back();
        found[member] = true;
        inner_order_.push_back(inner[member]);
      } while (member != done);
      add_component(std::span(inner_order_).subspan(first));
    }
  }
}

void Reach::add_component(std::span<const u32> members) {
  inner_components_.push_back(members);
  const u32 first = members[0];
  if (members.size() == 1) {
    recursive_[first] = std::ranges::binary_search(calls_.edges[first], first);
    return;
  }
  if (component_of_.empty()) {
    component_of_.resize(calls_.node_count());
    std::iota(component_of_.begin(), component_of_.end(), 0u);
  }
  for (const u32 member : members) {
    recursive_[member] = true;
    component_of_[member] = first;
  }
}

std::vector<u32> Reach::callees_first() const {
  std::vector<u32> out;
  out.reserve(calls_.node_count());
  for (u32 node = 0; node < calls_.node_count(); ++node)
    if (calls_.edges[node].empty())
      out.push_back(node);
  out.insert(out.end(), inner_order_.begin(), inner_order_.end());
  for (u32 node = 0; node < calls_.node_count(); ++node)
    if (!calls_.edges[node].empty() && !called(node))
      out.push_back(node);
  return out;
}

void Reach::begin_search() const {
  mark_.resize(calls_.node_count());
  ++search_;
}

// Callers are counted first, so that the lists of all nodes fit into one table.
void Reach::find_callers() const {
  if (callers_.size() == calls_.node_count())
    return;
  std::vector<u32> starts(u64{calls_.node_count()} + 1);
  for (const u32 callee : calls_.edges.all())
    ++starts[callee + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<u32> listed(calls_.node_count());
  callers_ = EdgeLists(std::move(starts));
  for (u32 node = 0; node < calls_.node_count(); ++node)
    for (const u32 callee : calls_.edges[node])
      callers_.room(callee)[listed[callee]++] = node;
}

std::vector<FunctionId> Reach::kernels_reaching(std::span<const FunctionId> functions) const {
  begin_search();
  find_callers();
  std::vector<u32> start;
  for (const FunctionId f : functions)
    if (mark(f.value) == Visit::Follow)
      start.push_back(f.value);
  const std::vector<u32> reached = search_breadth_first(
      std::move(start), [this](u32 node) { return std::as_const(callers_)[node]; },
      [this](u32 node, u32) { return mark(node); });
  std::vector<FunctionId> out;
  for (const u32 node : reached)
    if (node < calls_.functions.size() && live_.kernel[node])
      out.push_back(FunctionId(node));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<FunctionId> Reach::reached_from(FunctionId start) const {
  begin_search();
  const std::vector<u32> reached = search_breadth_first(
      {start.value}, [this](u32 node) { return calls_.edges[node]; },
      [this](u32 node, u32) { return mark(node); });
  std::vector<FunctionId> out;
  for (size_t i = 1; i < reached.size(); ++i)
    if (reached[i] < calls_.functions.size())
      out.push_back(FunctionId(reached[i]));
  std::sort(out.begin(), out.end());
  return out;
}

// Chains of calls, for messages: why a kernel needs so many registers, or a stack without bound.
// The search is breadth first, so that the message shows the shortest chain. A call through a
// pointer leads over the node of its prototype and is shown as such.

namespace {

using Path = std::vector<u32>;

// The nodes after `from` up to the nearest one that `is_end`; empty: none is reached.
Path shortest_path(const CallGraph &calls, u32 from, const std::function<bool(u32)> &is_end) {
  constexpr u32 kUnseen = ~u32{0};
  std::vector<u32> came_from(calls.node_count(), kUnseen);
  u32 end = kUnseen;
  const auto visit = [&](u32 node, u32 before) {
    if (came_from[node] != kUnseen)
      return Visit::Skip;
    came_from[node] = before;
    if (!is_end(node))
      return Visit::Follow;
    end = node;
    return Visit::Stop;
  };
  (void)search_breadth_first(
      {from}, [&](u32 node) { return calls.edges[node]; }, visit);
  if (end == kUnseen)
    return {};
  Path path = {end};
  for (u32 at = came_from[end]; at != from; at = came_from[at])
    path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

void add_path(const Program &p, const Path &path, Diagnostic &message) {
  bool pointer = false;
  for (const u32 node : path) {
    if (node >= p.calls.functions.size()) {
      pointer = true;
      continue;
    }
    Origin origin = p.origin_of(FunctionId(node));
    origin.symbol = p.entity_of(FunctionId(node)).name;
    message.at(pointer ? "which may call through a pointer" : "which calls", std::move(origin));
    pointer = false;
  }
}

} // namespace

void add_call_path(const Program &p, FunctionId from, FunctionId to, Diagnostic &message) {
  add_path(p, shortest_path(p.calls, from.value, [to](u32 node) { return node == to.value; }),
           message);
}

void add_call_cycle(const Program &p, const Reach &reach, FunctionId from, Diagnostic &message) {
  const auto is_circular = [&](u32 node) {
    return node < p.calls.functions.size() && reach.recursive(node);
  };
  u32 start = from.value;
  if (!is_circular(start)) {
    const Path path = shortest_path(p.calls, start, is_circular);
    if (path.empty())
      return;
    add_path(p, path, message);
    start = path.back();
  }
  add_path(p, shortest_path(p.calls, start, [start](u32 node) { return node == start; }), message);
}

} // namespace culink
