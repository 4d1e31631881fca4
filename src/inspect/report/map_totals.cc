// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums for the map of a link. The kind of a section is its name without that of the function it
// belongs to. Functions that several kernels call are part of the sum of each, so that those sums
// are no parts of a whole.
#include "inspect/report/map_totals.h"

#include <algorithm>
#include <array>
#include <map>

namespace culink {

namespace {

// Sections that exist once per function, by the beginnings of their names; constant banks have a
// number before the function.
constexpr std::array<std::string_view, 9> kPerFunction = {
    ".nv.merc.text.", ".nv.merc.nv.info.", ".nv.capmerc.text.", ".nv.info.", ".nv.local.",
    ".nv.shared.",    ".rela.text.",       ".rel.text.",        ".text."};

std::string kind_of_section(std::string_view name) {
  for (const std::string_view prefix : kPerFunction)
    if (name.starts_with(prefix))
      return std::string(prefix.substr(0, prefix.size() - 1));
  constexpr std::string_view kConstant = ".nv.constant";
  const size_t at = name.find(kConstant);
  if (at == std::string_view::npos)
    return std::string(name);
  return std::string(name.substr(0, std::min(name.find('.', at + kConstant.size()), name.size())));
}

std::vector<MapTotal> sorted(const std::map<std::string, MapTotal> &totals) {
  std::vector<MapTotal> out;
  for (const auto &[name, total] : totals)
    out.push_back({name, total.bytes, total.definitions});
  std::stable_sort(out.begin(), out.end(),
                   [](const MapTotal &a, const MapTotal &b) { return a.bytes > b.bytes; });
  return out;
}

} // namespace

std::vector<MapTotal> totals_by_kind(const LinkFacts &facts) {
  std::map<std::string, MapTotal> totals;
  for (const SectionFacts &section : facts.sections) {
    if (section.name.empty())
      continue;
    MapTotal &total = totals[kind_of_section(section.name)];
    total.bytes += section.size;
    ++total.definitions;
  }
  return sorted(totals);
}

std::vector<MapTotal> totals_by_input(const LinkFacts &facts) {
  std::map<std::string, MapTotal> totals;
  for (const std::string &input : facts.inputs)
    totals[input] = {};
  for (const SymbolFacts &symbol : facts.symbols) {
    MapTotal &total = totals[symbol.file];
    total.bytes += symbol.size;
    ++total.definitions;
  }
  return sorted(totals);
}

std::vector<MapTotal> totals_by_kernel(const LinkFacts &facts) {
  std::vector<MapTotal> out;
  for (const KernelFacts &kernel : facts.kernels) {
    MapTotal total{facts.functions[kernel.function].name};
    std::vector<bool> seen(facts.functions.size(), false);
    std::vector<u32> open_functions = {kernel.function};
    seen[kernel.function] = true;
    while (!open_functions.empty()) {
      const FunctionFacts &function = facts.functions[open_functions.back()];
      open_functions.pop_back();
      total.bytes += function.code_bytes;
      total.definitions += function.code_bytes != 0 ? 1 : 0;
      for (const std::vector<u32> *list : {&function.calls, &function.pointer_calls})
        for (const u32 callee : *list)
          if (!seen[callee]) {
            seen[callee] = true;
            open_functions.push_back(callee);
          }
    }
    out.push_back(total);
  }
  std::stable_sort(out.begin(), out.end(), [](const MapTotal &a, const MapTotal &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return out;
}

} // namespace culink
