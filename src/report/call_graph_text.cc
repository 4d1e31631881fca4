// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -dump-callgraph, as nvlink prints it: every function has a number, in order of first reference;
// those that are not part of the output have nothing but the number. Callees come newest first,
// those of pointers before the others. Then follows which kernels get the register counts of
// functions they may call.
// Names are in the style that the caller wants: nvlink's own (Q091), the standard one, or none.
#include "report/call_graph_text.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text_out.h"

namespace culink {

namespace {

std::string function_line(const LinkFacts &facts, size_t number, NameStyle names) {
  const FunctionFacts &function = facts.functions[number];
  std::string out = fmt::format("{}: ", number + 1);
  if (!function.live)
    return out;
  out += function.kernel ? "^" : "";
  out += function.address_taken ? "&" : "";
  out += visible(shown_name(function.name, names));
  if (function.registers != 0)
    out += fmt::format(" [{}]", function.registers);
  out += " ->";
  for (const u32 callee : function.pointer_calls)
    out += fmt::format(" {}", callee + 1);
  for (const u32 callee : function.calls)
    out += fmt::format(" {}", callee + 1);
  return out;
}

// A kernel needs more registers because it may call a function.
struct Raise {
  u32 function = 0;
  u32 kernel = 0;
};

std::vector<bool> reached_from(const LinkFacts &facts, u32 start) {
  std::vector<bool> seen(facts.functions.size(), false);
  std::vector<u32> open_nodes = {start};
  while (!open_nodes.empty()) {
    const FunctionFacts &function = facts.functions[open_nodes.back()];
    open_nodes.pop_back();
    for (const std::vector<u32> *list : {&function.calls, &function.pointer_calls})
      for (const u32 callee : *list)
        if (!seen[callee]) {
          seen[callee] = true;
          open_nodes.push_back(callee);
        }
  }
  return seen;
}

// Functions in the order of their code in the output raise the counts of the kernels that reach
// them, the newest kernel first.
std::vector<Raise> raises(const LinkFacts &facts) {
  constexpr std::string_view kText = ".text.";
  std::map<std::string_view, u32> by_name;
  std::vector<u32> count(facts.functions.size());
  std::vector<std::pair<u32, std::vector<bool>>> kernels; // and what they reach
  for (u32 f = 0; f < facts.functions.size(); ++f) {
    const FunctionFacts &function = facts.functions[f];
    count[f] = function.registers;
    if (function.live)
      by_name.emplace(function.name, f);
  }
  for (size_t i = facts.kernels.size(); i-- > 0;)
    if (const u32 f = facts.kernels[i].function; facts.functions[f].kernel)
      kernels.emplace_back(f, reached_from(facts, f));
  std::vector<Raise> out;
  for (const SectionFacts &section : facts.sections) {
    const std::string_view name = section.name;
    const auto function =
        name.starts_with(kText) ? by_name.find(name.substr(kText.size())) : by_name.end();
    if (function == by_name.end())
      continue;
    for (const auto &[kernel, reached] : kernels)
      if (reached[function->second] &&
          count[kernel] < facts.functions[function->second].registers) {
        count[kernel] = facts.functions[function->second].registers;
        out.push_back({function->second, kernel});
      }
  }
  return out;
}

} // namespace

std::vector<std::string> call_graph_lines(const LinkFacts &facts, NameStyle names,
                                          Wording wording) {
  // nvlink leaves the letter of sm_90a out.
  const size_t letter = facts.target.find_first_of("af");
  std::vector<std::string> lines = {
      fmt::format("callgraph for {}:",
                  wording == Wording::Nvlink ? facts.target.substr(0, letter) : facts.target),
      "# A: s -> B // s (number A) potentially calls B",
      "# s [N]     // s uses N registers",
      "# ^s        // s is entry point",
      "# &s        // s has address taken",
  };
  for (size_t i = 0; i < facts.functions.size(); ++i)
    lines.push_back(function_line(facts, i, names));
  for (const Raise &raise : raises(facts))
    lines.push_back(fmt::format("regcount {} for {} propagated to entry {}",
                                facts.functions[raise.function].registers,
                                visible(shown_name(facts.functions[raise.function].name, names)),
                                visible(shown_name(facts.functions[raise.kernel].name, names))));
  return lines;
}

} // namespace culink
