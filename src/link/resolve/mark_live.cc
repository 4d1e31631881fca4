// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code. Roots are the kernels (those selected, where kernels are selected); a root keeps what
// it reaches over direct calls and over indirect calls by prototype. Every function whose address
// is taken stays too, even if only dead code takes it, but it is no root: what it calls goes away
// unless something else keeps it. Only undefined callees (system calls) of such a function stay.
#include "link/resolve/call_graph.h"

namespace culink {

namespace {

bool is_selected(std::string_view name, const std::vector<std::string> &wanted) {
  for (const std::string &part : wanted)
    if (name.find(part) != std::string_view::npos)
      return true;
  return false;
}

bool is_mentioned(const Entity &kernel, const HostReferences &host) {
  for (const std::string &pattern : kernel.local ? host.internal_kernels : host.external_kernels)
    if (matches_pattern(kernel.name, pattern))
      return true;
  return false;
}

// Everything that can be reached from the nodes in `open_nodes`.
void reach(const CallGraph &calls, std::vector<u32> open_nodes, std::vector<bool> &seen) {
  while (!open_nodes.empty()) {
    const u32 node = open_nodes.back();
    open_nodes.pop_back();
    if (seen[node])
      continue;
    seen[node] = true;
    const std::span<const u32> callees = calls.edges[node];
    open_nodes.insert(open_nodes.end(), callees.begin(), callees.end());
  }
}

} // namespace

LiveSet mark_live(const Resolution &symbols, const CallGraph &calls, const LinkOptions &options) {
  const u32 count = static_cast<u32>(calls.functions.size());
  LiveSet out;
  out.selected.assign(count, false);
  out.demoted.assign(count, false);
  out.by_host = options.prunes_by_host();
  out.selective = (options.kernels_used.has_value() && !options.debug) || out.by_host;
  std::vector<u32> roots;
  for (u32 f = 0; f < count; ++f) {
    const Entity &entity = symbols[calls.functions[f]];
    if (!is_kernel_mark(entity.other) || !entity.defined())
      continue;
    const bool selected =
        !out.selective || (out.by_host ? is_mentioned(entity, *options.host_references)
                                       : is_selected(entity.name, *options.kernels_used));
    out.selected[f] = selected;
    out.demoted[f] = !selected;
    if (selected)
      roots.push_back(f);
  }
  std::vector<u32> addressed; // functions whose address is taken, whoever takes it
  for (const CallGraph::Taken &taken : calls.taken)
    addressed.push_back(taken.function.value);
  out.kernel = out.selected;
  // A single kernel is treated apart. Otherwise kernels that stay without having been selected
  // count, too (Q052).
  if (roots.size() == 1)
    out.only = FunctionId(roots.front());
  else
    for (const u32 f : addressed)
      if (out.demoted[f] && !out.kernel[f]) {
        out.kernel[f] = true;
        roots.push_back(f);
      }
  if (options.keeps_all_code()) {
    out.live.assign(count, true);
    return out;
  }
  std::vector<bool> seen(calls.node_count(), false);
  reach(calls, std::move(roots), seen);
  out.live.assign(seen.begin(), seen.begin() + count);
  for (const u32 f : addressed) {
    out.live[f] = true;
    for (const FunctionId callee : calls.calls[f])
      if (!symbols[calls.functions[callee.value]].defined())
        out.live[callee.value] = true;
  }
  return out;
}

} // namespace culink
