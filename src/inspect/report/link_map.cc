// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link map, as text and as JSON: sections with the symbols in them, and totals by kind of
// section, by input and by kernel.
#include "inspect/report/link_map.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "support/demangle.h"
#include "support/json.h"
#include "support/text_out.h"

namespace culink {

// Sums for the map of a link. The kind of a section is its name without that of the function it
// belongs to. Functions that several kernels call are part of the sum of each, so that those sums
// are no parts of a whole.

namespace {

// What one kind of section, input or kernel takes.
struct MapTotal {
  std::string name;
  u64 bytes = 0;
  u32 definitions = 0;
};

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

// All three sums have the largest first; those of one size by name.
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

// A link map in columns: offset in the file and size for sections, offset in the section and size
// for symbols, all hexadecimal and marked so; totals and what was left out are bytes in decimal.
// Symbols of one section are sorted by their offset; names of sections need not be unique, and a
// symbol is listed under the first section of its name.

std::string discarded_line(const DiscardedFacts &item, NameStyle names) {
  return fmt::format("{:>8}  {}: {}: {}\n", item.size, visible(item.file),
                     visible(shown_name(item.name, names)), item.why);
}

std::string total_lines(std::string_view title, const std::vector<MapTotal> &totals,
                        NameStyle names) {
  std::string out = fmt::format("\n{}\n", title);
  for (const MapTotal &total : totals)
    out += fmt::format("{:>10}  {:>8}  {}\n", total.bytes, total.definitions,
                       visible(shown_name(total.name, names)));
  return out;
}

} // namespace

std::string discarded_text(const LinkFacts &facts, NameStyle names) {
  std::string out;
  u64 bytes = 0;
  for (const DiscardedFacts &item : facts.discarded) {
    out += discarded_line(item, names);
    bytes += item.size;
  }
  return out +
         fmt::format("{:>8}  bytes in {} definitions left out\n", bytes, facts.discarded.size());
}

std::string link_map_text(const LinkFacts &facts, NameStyle names) {
  std::map<std::string_view, std::vector<const SymbolFacts *>> by_section;
  for (const SymbolFacts &symbol : facts.symbols)
    by_section[symbol.section].push_back(&symbol);
  for (auto &[name, symbols] : by_section)
    std::stable_sort(symbols.begin(), symbols.end(),
                     [](const auto *a, const auto *b) { return a->value < b->value; });
  std::string out = fmt::format("Map of a link for {}, {} objects\n\n"
                                "    offset        size  section\n"
                                "in section        size      symbol: input\n",
                                facts.target, facts.objects);
  for (const SectionFacts &section : facts.sections) {
    if (section.name.empty())
      continue;
    out += fmt::format("{:>#10x}  {:>#10x}  {}\n", section.offset, section.size,
                       visible(section.name));
    const auto symbols = by_section.find(section.name);
    if (symbols == by_section.end())
      continue;
    for (const SymbolFacts *symbol : symbols->second)
      out += fmt::format("{:>#10x}  {:>#10x}      {}: {}\n", symbol->value, symbol->size,
                         visible(shown_name(symbol->name, names)), visible(symbol->file));
    by_section.erase(symbols);
  }
  out += total_lines("Totals by kind (bytes, sections)", totals_by_kind(facts), nullptr);
  out += total_lines("Totals by input (bytes, definitions)", totals_by_input(facts), nullptr);
  out += total_lines("Code of kernels with what they reach (bytes, functions)",
                     totals_by_kernel(facts), names);
  return out + "\nLeft out (bytes, input, symbol, reason)\n" + discarded_text(facts, names);
}

// The map for programs: the facts of its text with names as in the objects and numbers as numbers.
// docs/schemas/culink-map.json describes it.

namespace {

std::string json_name(const std::string &name) {
  const std::string text = demangle(name);
  return fmt::format("\"name\":{}{}", quoted_json(name),
                     text == name ? "" : fmt::format(",\"demangled\":{}", quoted_json(text)));
}

template <typename T, typename F>
std::string json_list(std::string_view key, const std::vector<T> &items, const F &text) {
  std::string out;
  for (const T &item : items)
    out += fmt::format("{}\n    {{{}}}", out.empty() ? "" : ",", text(item));
  return fmt::format(",\n  \"{}\": [{}{}]", key, out, out.empty() ? "" : "\n  ");
}

std::string total_json(const MapTotal &total) {
  return fmt::format("\"name\":{},\"bytes\":{},\"count\":{}", quoted_json(total.name), total.bytes,
                     total.definitions);
}

} // namespace

std::string link_map_json(const LinkFacts &facts) {
  std::string out = fmt::format("{{\n  \"target\": {}", quoted_json(facts.target));
  out += json_list("inputs", facts.inputs, [](const std::string &name) {
    return fmt::format("\"file\":{}", quoted_json(name));
  });
  out += json_list("sections", facts.sections, [](const SectionFacts &section) {
    return fmt::format("\"name\":{},\"offset\":{},\"size\":{}", quoted_json(section.name),
                       section.offset, section.size);
  });
  out += json_list("symbols", facts.symbols, [](const SymbolFacts &symbol) {
    return fmt::format("{},\"file\":{},\"section\":{},\"offset\":{},\"size\":{}",
                       json_name(symbol.name), quoted_json(symbol.file),
                       quoted_json(symbol.section), symbol.value, symbol.size);
  });
  out += json_list("discarded", facts.discarded, [](const DiscardedFacts &item) {
    return fmt::format("{},\"file\":{},\"size\":{},\"reason\":{}", json_name(item.name),
                       quoted_json(item.file), item.size, quoted_json(item.why));
  });
  out += json_list("by_kind", totals_by_kind(facts), total_json);
  out += json_list("by_input", totals_by_input(facts), total_json);
  out += json_list("by_kernel", totals_by_kernel(facts), total_json);
  return out + "\n}\n";
}

} // namespace culink
