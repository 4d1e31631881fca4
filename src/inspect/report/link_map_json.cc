// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map for programs: the facts of its text with names as in the objects and numbers as numbers.
// docs/schemas/culink-map.json describes it.
#include <fmt/format.h>

#include "inspect/report/link_map.h"
#include "inspect/report/map_totals.h"
#include "support/demangle.h"
#include "support/json.h"

namespace culink {

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
