// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link map in columns: offset in the file and size for sections, offset in the section and size
// for symbols, all hexadecimal and marked so; totals and what was left out are bytes in decimal.
// Symbols of one section are sorted by their offset; names of sections need not be unique, and a
// symbol is listed under the first section of its name.
#include "inspect/report/link_map.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "inspect/report/map_totals.h"
#include "support/text_out.h"

namespace culink {

namespace {

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

} // namespace culink
