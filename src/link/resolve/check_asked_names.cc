// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A question about a symbol that does not exist, or a selection that selects nothing, is a mistake
// in the name. Symbols are those of all inputs, linked or not.
#include <algorithm>
#include <vector>

#include "base/demangle.h"
#include "base/string_index.h"
#include "link/resolve/check_undefined.h"
#include "model/name_pattern.h"
#include "model/similar_names.h"

namespace culink {

namespace {

constexpr size_t kMostAlike = 3;

// The names alone, each once, which is what people mistype.
std::string names_alike(const std::vector<std::string> &plain, std::string_view wanted) {
  std::string_view name = wanted.substr(0, std::min(wanted.find_first_of("(<"), wanted.size()));
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos)
    name.remove_prefix(colons + 2);
  const std::vector<std::string_view> near =
      similar_names(name, {plain.begin(), plain.end()}, kMostAlike);
  return near.empty() ? "" : "similar names: " + comma_list(near);
}

void report_asked_name(DiagId id, const char *option, const std::string &wanted,
                       const std::vector<std::string_view> &names, Diagnostics &diag) {
  std::vector<std::string> plain;
  for (const std::string_view name : names)
    plain.push_back(plain_name(name));
  std::sort(plain.begin(), plain.end());
  plain.erase(std::unique(plain.begin(), plain.end()), plain.end());
  diag.report(id, {option, wanted}).advise(names_alike(plain, wanted));
}

// Names to look for others in. Nearly always somebody asks for one of them, letter for letter.
struct KnownNames {
  std::vector<std::string_view> list;
  StringIndex index;

  void add(std::string_view name) {
    list.push_back(name);
    index.insert(name);
  }
  template <typename IsIt> [[nodiscard]] bool has(const std::string &wanted, IsIt is_it) const {
    return index.find(wanted) || std::any_of(list.begin(), list.end(), is_it);
  }
};

} // namespace

void check_asked_names(const Program &p, Diagnostics &diag) {
  const LinkOptions &options = p.options;
  if (options.trace_symbols.empty() && options.why_live.empty() &&
      !(options.kernels_used && options.source_names))
    return;
  KnownNames symbols, kernels;
  for (const Entity &entity : p.symbols.entities) {
    symbols.add(entity.name);
    if (entity.function && entity.defined() && is_kernel_mark(entity.other))
      kernels.add(entity.name);
  }
  for (const auto &[option, wanted] : {std::pair{"--trace-symbol", &options.trace_symbols},
                                       std::pair{"--why-live", &options.why_live}})
    for (const std::string &name : *wanted)
      if (!symbols.has(name, [&](std::string_view symbol) { return is_meant(symbol, name); }))
        report_asked_name(DiagId::NoSuchSymbol, option, name, symbols.list, diag);
  if (!options.kernels_used || !options.source_names)
    return;
  for (const std::string &name : *options.kernels_used) {
    const std::vector<std::string> alone = {name};
    const bool found = kernels.has(
        name, [&](std::string_view kernel) { return selects_kernel(kernel, alone, true); });
    if (!found && !name.empty()) // which is part of every name
      report_asked_name(DiagId::NoSuchKernel, "-kernels-used", name, kernels.list, diag);
  }
}

} // namespace culink
