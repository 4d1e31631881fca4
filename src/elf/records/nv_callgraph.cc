// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph is a flat list of pairs cut into parts by markers (0, -n). The groups are kept in
// the order of the file, so that a graph with missing, repeated or unknown parts encodes to the
// same bytes. A reader that takes the markers for terminators (-4 ends the graph) would miss the
// indirect targets, which follow it.
#include "elf/records/nv_callgraph.h"

#include "base/bytes.h"

#include <fmt/format.h>

namespace culink::elf {

namespace {

constexpr u64 kPairSize = 8;
static_assert(sizeof(CallPair) == kPairSize && sizeof(Prototype) == kPairSize);

CallPair pair_at(ByteSpan section, u64 offset) {
  return {load_le<u32>(section.data() + offset), load_le<u32>(section.data() + offset + 4)};
}

bool is_marker(const CallPair &pair) {
  return pair.first == 0 && static_cast<i32>(pair.second) < 0;
}

// Reports a group that is not in the usual order.
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
  const u64 pairs = section.size() / kPairSize;
  for (u64 next = 0; next < pairs;) {
    const CallPair first = pair_at(section, next * kPairSize);
    const u32 part = is_marker(first) ? 0u - first.second : 0u;
    CallGroup group{static_cast<CallPart>(part), {}, next * kPairSize};
    check_group(graph, group);
    next += is_marker(first) ? 1 : 0;
    const u64 begin = next;
    while (next < pairs && !is_marker(pair_at(section, next * kPairSize)))
      ++next;
    group.pairs.resize(next - begin);
    if (next != begin)
      std::memcpy(group.pairs.data(), section.data() + begin * kPairSize,
                  (next - begin) * kPairSize);
    graph.groups.push_back(std::move(group));
  }
  graph.rest = section.subspan(pairs * kPairSize);
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
    for (const CallPair &pair : group.pairs) {
      append_le(out, pair.first);
      append_le(out, pair.second);
    }
  }
  append_bytes(out, graph.rest);
  return out;
}

PrototypeSection decode_prototypes(ByteSpan section) {
  PrototypeSection out;
  out.records.resize(section.size() / kPairSize);
  const u64 at = out.records.size() * kPairSize;
  if (at != 0)
    std::memcpy(out.records.data(), section.data(), at);
  out.rest = section.subspan(at);
  if (!out.rest.empty())
    out.violations.push_back(
        {at, fmt::format("{} trailing bytes, a record has 8", out.rest.size())});
  return out;
}

std::vector<u8> encode_prototypes(const PrototypeSection &section) {
  std::vector<u8> out;
  for (const Prototype &record : section.records) {
    append_le(out, record.symbol);
    append_le(out, record.string);
  }
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
