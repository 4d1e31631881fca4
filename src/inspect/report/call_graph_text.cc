// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -dump-callgraph, as nvlink prints it: every function has a number, in order of first reference;
// those that are not part of the output have nothing but the number. Callees come newest first,
// those of pointers before the others. Then follows which kernels get the register counts of
// functions they may call.
// Names are in the style that the caller wants: nvlink's own (Q091), the standard one, or none.
#include "inspect/report/call_graph_text.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "support/text_out.h"

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

// Finds the kernels whose counts functions raise. A function is visited again only for more
// registers than before, of which there are few, and not once for each kernel.
class RaiseFinder {
public:
  explicit RaiseFinder(const LinkFacts &facts)
      : facts_(facts), callers_(facts.functions.size()), age_(facts.functions.size(), kNone),
        level_(facts.functions.size(), 0) {
    for (u32 f = 0; f < facts.functions.size(); ++f)
      for (const std::vector<u32> *list :
           {&facts.functions[f].calls, &facts.functions[f].pointer_calls})
        for (const u32 callee : *list)
          callers_[callee].push_back(f);
    for (u32 i = 0; i < facts.kernels.size(); ++i)
      if (const u32 f = facts.kernels[i].function; facts.functions[f].kernel) {
        age_[f] = i;
        count_.emplace(f, facts.functions[f].registers);
      }
  }

  // The kernels that reach a function and have fewer registers, the newest first.
  [[nodiscard]] std::vector<u32> raise_for(u32 function) {
    const u32 registers = facts_.functions[function].registers;
    std::vector<u32> raised, open_nodes = {function};
    while (!open_nodes.empty()) {
      const u32 callee = open_nodes.back();
      open_nodes.pop_back();
      for (const u32 caller : callers_[callee]) {
        if (level_[caller] >= registers)
          continue;
        level_[caller] = registers;
        open_nodes.push_back(caller);
        if (age_[caller] == kNone || count_[caller] >= registers)
          continue;
        count_[caller] = registers;
        raised.push_back(caller);
      }
    }
    std::sort(raised.begin(), raised.end(), [this](u32 x, u32 y) { return age_[x] > age_[y]; });
    return raised;
  }

private:
  static constexpr u32 kNone = ~u32{0};

  const LinkFacts &facts_;
  std::vector<std::vector<u32>> callers_; // by function
  std::vector<u32> age_;                  // by function: the number of a kernel
  std::vector<u32> level_;                // by function: what all kernels that reach it have
  std::map<u32, u32> count_;              // by kernel: its registers
};

// Functions in the order of their code in the output raise the counts of the kernels that reach
// them, the newest kernel first.
std::vector<Raise> raises(const LinkFacts &facts) {
  constexpr std::string_view kText = ".text.";
  std::map<std::string_view, u32> by_name;
  for (u32 f = 0; f < facts.functions.size(); ++f)
    if (facts.functions[f].live)
      by_name.emplace(facts.functions[f].name, f);
  RaiseFinder finder(facts);
  std::vector<Raise> out;
  for (const SectionFacts &section : facts.sections) {
    const std::string_view name = section.name;
    const auto function =
        name.starts_with(kText) ? by_name.find(name.substr(kText.size())) : by_name.end();
    if (function != by_name.end())
      for (const u32 kernel : finder.raise_for(function->second))
        out.push_back({function->second, kernel});
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
