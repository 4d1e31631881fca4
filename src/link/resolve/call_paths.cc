// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of calls, for messages: why a kernel needs so many registers, or a stack without bound.
// The search is breadth first, so that the message shows the shortest chain. A call through a
// pointer leads over the node of its prototype and is shown as such.
#include "link/resolve/call_paths.h"

#include <algorithm>
#include <functional>

#include "link/resolve/search.h"

namespace culink {

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
