// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph is a flat list of pairs, divided into parts by markers (0, -n). Groups are kept in
// file order, so that a graph with missing, repeated or unknown parts encodes to the same bytes.
// The markers are not terminators: the indirect targets follow the marker -4.
#include "elf/records/nv_callgraph.h"

#include <algorithm>
#include <fmt/format.h>

namespace culink::elf {

namespace {

bool is_marker(const CallPair &pair) {
  return pair.first == 0 && static_cast<i32>(pair.second) < 0;
}

// Reports a group that is out of order.
void check_group(CallGraph &graph, const CallGroup &group) {
  const u32 part = static_cast<u32>(group.part);
  const u32 expected = graph.groups.empty() ? 1 : static_cast<u32>(graph.groups.back().part) + 1;
  if (group.part == CallPart::Unmarked)
    graph.violations.push_back({group.offset, "pairs before the first marker"});
  else if (part > static_cast<u32>(CallPart::IndirectTargets))
    graph.violations.push_back({group.offset, fmt::format("marker -{} is not known", part)});
  else if (part != expected)
    graph.violations.push_back(
        {group.offset, fmt::format("marker -{} where -{} is expected", part, expected)});
}

void check_end(CallGraph &graph, ByteSpan section) {
  const u32 last = graph.groups.empty() ? 0 : static_cast<u32>(graph.groups.back().part);
  if (last < static_cast<u32>(CallPart::IndirectCalls))
    graph.violations.push_back(
        {section.size(), fmt::format("the graph ends without marker -{}", last + 1)});
  if (!graph.rest.empty())
    graph.violations.push_back({section.size() - graph.rest.size(),
                                fmt::format("{} trailing bytes, a pair has 8", graph.rest.size())});
}

} // namespace

std::vector<CallPair> CallGraph::pairs(CallPart part) const {
  std::vector<CallPair> out;
  for (const CallGroup &group : groups)
    if (group.part == part)
      out.insert(out.end(), group.pairs.begin(), group.pairs.end());
  return out;
}

bool CallGraph::lacks_targets() const {
  return !groups.empty() && groups.back().part == CallPart::IndirectCalls;
}

CallGraph decode_call_graph(ByteSpan section) {
  CallGraph graph;
  const std::vector<CallPair> pairs = load_rows<CallPair>(section);
  for (auto next = pairs.begin(); next != pairs.end();) {
    const u64 offset = static_cast<u64>(next - pairs.begin()) * sizeof(CallPair);
    const u32 part = is_marker(*next) ? 0u - next->second : 0u;
    CallGroup group{static_cast<CallPart>(part), {}, offset};
    check_group(graph, group);
    const auto begin = is_marker(*next) ? next + 1 : next;
    next = std::find_if(begin, pairs.end(), is_marker);
    group.pairs.assign(begin, next);
    graph.groups.push_back(std::move(group));
  }
  graph.rest = section.subspan(pairs.size() * sizeof(CallPair));
  check_end(graph, section);
  return graph;
}

std::vector<u8> encode_call_graph(const CallGraph &graph) {
  std::vector<u8> out;
  for (const CallGroup &group : graph.groups) {
    if (group.part != CallPart::Unmarked) {
      append_le<u32>(out, 0);
      append_le<u32>(out, 0u - static_cast<u32>(group.part));
    }
    append_rows(out, group.pairs);
  }
  append_bytes(out, graph.rest);
  return out;
}

} // namespace culink::elf
