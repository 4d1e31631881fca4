// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code. Roots are the kernels (those selected, where kernels are selected); a root keeps what
// it reaches over direct calls and over indirect calls by prototype. Every function whose address
// is taken stays too, even if only dead code takes it, but it is no root: what it calls goes away
// unless something else keeps it. Only undefined callees (system calls) of such a function stay.
// A function named by a function-descriptor relocation stays in the same way.
#include "link/call_graph.h"

#include "arch/reloc.h"

namespace culink {

namespace {

bool is_selected(std::string_view name, const std::vector<std::string> &wanted) {
  for (const std::string &part : wanted)
    if (name.find(part) != std::string_view::npos)
      return true;
  return false;
}

// Calls `keep` for each function that a function-descriptor relocation names.
template <typename Keep>
void keep_described_functions(const std::vector<InputObject> &objects, const Resolution &symbols,
                              const CallGraph &calls, Keep keep) {
  for (u32 i = 0; i < objects.size(); ++i) {
    const InputObject &object = objects[i];
    for (const elf::Section &table : object.view.sections()) {
      const elf::RelocationTable entries = object.view.relocations(table);
      for (u32 e = 0; e < entries.size(); ++e) {
        const elf::Relocation entry = entries[e];
        const arch::RelocInfo *row = arch::find_reloc(entry.type);
        if (!row || row->resolver != arch::Resolver::LoaderFunction)
          continue;
        const EntityId id = symbols.of(ObjectId(i), entry.symbol);
        if (id.valid() && calls.function_of[id.value].valid())
          keep(calls.function_of[id.value].value);
      }
    }
  }
}

// Everything that can be reached from the nodes in `open_nodes`.
void reach(const CallGraph &calls, std::vector<u32> open_nodes, std::vector<bool> &seen) {
  while (!open_nodes.empty()) {
    const u32 node = open_nodes.back();
    open_nodes.pop_back();
    if (seen[node])
      continue;
    seen[node] = true;
    open_nodes.insert(open_nodes.end(), calls.edges[node].begin(), calls.edges[node].end());
  }
}

// Functions whose address is taken, whoever takes it.
std::vector<u32> find_addressed(const std::vector<InputObject> &objects, const Resolution &symbols,
                                const CallGraph &calls) {
  std::vector<u32> out;
  for (const CallGraph::Taken &taken : calls.taken)
    out.push_back(taken.function.value);
  keep_described_functions(objects, symbols, calls, [&out](u32 f) { out.push_back(f); });
  return out;
}

} // namespace

LiveSet mark_live(const std::vector<InputObject> &objects, const Resolution &symbols,
                  const CallGraph &calls, const LinkOptions &options) {
  const u32 count = static_cast<u32>(calls.functions.size());
  LiveSet out;
  out.selected.assign(count, false);
  out.demoted.assign(count, false);
  out.selective = options.kernels_used.has_value() && !options.debug;
  std::vector<u32> roots;
  for (u32 f = 0; f < count; ++f) {
    const Entity &entity = symbols[calls.functions[f]];
    if (!is_kernel_mark(entity.other) || !entity.defined())
      continue;
    const bool selected = !out.selective || is_selected(entity.name, *options.kernels_used);
    out.selected[f] = selected;
    out.demoted[f] = !selected;
    if (selected)
      roots.push_back(f);
  }
  const std::vector<u32> addressed = find_addressed(objects, symbols, calls);
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
