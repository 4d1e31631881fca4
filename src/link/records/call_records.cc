// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph and the prototypes of what is left of a program, as the output has them. Records
// of functions are in the order of the functions.
#include "link/records/call_records.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "elf/records/nv_callgraph.h"

namespace culink {

using Second = CallRecord::Second;

namespace {

// Each callee where it is referred to first.
std::vector<FunctionId> first_references(std::span<const FunctionId> callees) {
  std::vector<u32> order(callees.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto callee = [callees](u32 i) { return callees[i]; };
  std::ranges::stable_sort(order, {}, callee);
  const auto repeated = std::ranges::unique(order, {}, callee);
  order.erase(repeated.begin(), repeated.end());
  std::ranges::sort(order);
  std::vector<FunctionId> out;
  for (const u32 i : order)
    out.push_back(callees[i]);
  return out;
}

// Callees in reverse order of reading, in an object each only where it is referred to first (Q027).
void append_calls(const Program &p, const NodeLists<FunctionId> &edges, CallRecords &out) {
  for (u32 f = 0; f < edges.size(); ++f) {
    if (edges[f].empty() || !p.live.live[f])
      continue;
    std::vector<FunctionId> first;
    std::span<const FunctionId> callees = edges[f];
    if (!p.policy.executable)
      callees = first = first_references(callees);
    for (const FunctionId callee : std::views::reverse(callees))
      if (p.live.is_live(callee))
        out.push_back({FunctionId(f), Second::Function, callee.value});
  }
}

// By function in order of creation, the newest first.
void append_pointers(const Program &p, std::vector<CallGraph::Taken> list, CallRecords &out) {
  std::reverse(list.begin(), list.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto &a, const auto &b) { return a.function < b.function; });
  for (const auto &[f, prototype] : list)
    if (p.live.is_live(f))
      out.push_back(prototype.valid() ? CallRecord{f, Second::Prototype, prototype.value}
                                      : CallRecord{f, Second::Marker, 0});
}

} // namespace

CallRecords list_call_graph(const Program &p) {
  CallRecords out;
  constexpr size_t kMarkers = 4;
  out.reserve(p.calls.calls.all().size() + p.calls.taken.size() + p.calls.indirect.size() +
              p.calls.targets.all().size() + kMarkers);
  const auto open = [&out](elf::CallPart part) {
    out.push_back({{}, Second::Marker, 0u - static_cast<u32>(part)});
  };
  open(elf::CallPart::Calls);
  append_calls(p, p.calls.calls, out);
  open(elf::CallPart::AddressTaken);
  append_pointers(p, p.calls.taken, out);
  open(elf::CallPart::IndirectCalls);
  append_pointers(p, p.calls.indirect, out);
  open(elf::CallPart::IndirectTargets);
  append_calls(p, p.calls.targets, out);
  return out;
}

// Functions whose address is taken have their prototype in the call graph.
CallRecords list_prototypes(const Program &p) {
  std::vector<bool> taken(p.calls.functions.size(), false);
  for (const CallGraph::Taken &t : p.calls.taken)
    taken[t.function.value] = true;
  CallRecords out;
  for (u32 f = 0; f < p.calls.functions.size(); ++f)
    if (p.calls.prototype_of[f].valid() && p.live.live[f] && !taken[f])
      out.push_back({FunctionId(f), Second::Prototype, p.calls.prototype_of[f].value});
  return out;
}

} // namespace culink
