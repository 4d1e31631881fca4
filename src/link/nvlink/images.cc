// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code that calls the driver for images needs more stack than the Mercury code it was made
// from. nvlink adds up the stack of all kernels again, but without calls through pointers, and not
// for kernels that call nothing, unless the call graph of the output is empty. Kernels also do not
// list driver functions that are only called by functions reached through pointers. Kernels that
// were not selected are treated as kernels. If one object of the link has samplers, a record marks
// all objects (Q145).
#include "link/nvlink/images.h"

#include <algorithm>

namespace culink::nvlink {

namespace {

// True if the call graph of the output is not empty.
bool has_call_graph(const Program &program) {
  const auto any_edges = [&](const NodeLists<FunctionId> &edges) {
    for (u32 f = 0; f < edges.size(); ++f)
      if (program.live.live[f] && !edges[f].empty())
        return true;
    return false;
  };
  const auto any_prototypes = [&](const std::vector<CallGraph::Taken> &list) {
    return std::any_of(list.begin(), list.end(), [&](const CallGraph::Taken &one) {
      return program.live.is_live(one.function);
    });
  };
  return any_edges(program.calls.calls) || any_edges(program.calls.targets) ||
         any_prototypes(program.calls.taken) || any_prototypes(program.calls.indirect);
}

bool calls_by_name(const Program &program, FunctionId caller, FunctionId callee) {
  std::vector<bool> seen(program.calls.functions.size());
  std::vector<FunctionId> open = {caller};
  while (!open.empty()) {
    const FunctionId one = open.back();
    open.pop_back();
    if (one == callee)
      return true;
    if (seen[one.value])
      continue;
    seen[one.value] = true;
    const auto &callees = program.calls.calls[one.value];
    open.insert(open.end(), callees.begin(), callees.end());
  }
  return false;
}

} // namespace

std::vector<FunctionId> kernels_listing(const Program &program, const Reach &reach,
                                        FunctionId function) {
  std::vector<FunctionId> out = reach.kernels_reaching({&function, 1});
  if (program.policy.recounts_image_calls)
    std::erase_if(out,
                  [&](FunctionId kernel) { return !calls_by_name(program, kernel, function); });
  return out;
}

StackSizes add_up_stacks(const Program &program, const Reach &reach, std::span<const u32> frames,
                         StackSizes sound) {
  if (!program.policy.recounts_image_calls)
    return sound;
  const u32 count = static_cast<u32>(program.calls.functions.size());
  const bool any_calls = has_call_graph(program);
  std::vector<u64> stack(count);
  for (const u32 node : reach.callees_first()) {
    if (node >= count)
      continue; // a prototype
    u64 deepest = 0;
    for (const FunctionId callee : program.calls.calls[node])
      deepest = std::max(deepest, stack[callee.value]);
    stack[node] = frames[node] + deepest;
  }
  std::vector<bool> calls_pointers(count);
  for (const CallGraph::Taken &one : program.calls.indirect)
    calls_pointers[one.function.value] = true;
  for (u32 f = 0; f < count; ++f)
    if (program.calls.calls[f].empty() && !calls_pointers[f] && any_calls)
      sound[f] = std::nullopt;
    else if (sound[f])
      sound[f] = stack[f];
  return sound;
}

std::vector<FunctionId> unselected_listing_kernels(const Program &program) {
  std::vector<FunctionId> out;
  if (program.policy.recounts_image_calls)
    for (u32 f = 0; f < program.calls.functions.size(); ++f)
      if (program.live.demoted[f] && program.live.live[f])
        out.emplace_back(f);
  return out;
}

} // namespace culink::nvlink
