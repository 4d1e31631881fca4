// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a function is part of the output: because it is a kernel, because a kernel calls it over some
// chain, of which the shortest is shown, or because its address is taken, which nvlink keeps even
// if nobody calls it. With -g and -r everything stays.
#include "report/why_live.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace culink {

namespace {

constexpr u32 kNobody = ~u32{0};

struct Step {
  u32 from = kNobody; // position in LinkFacts::functions
  bool pointer = false;
};

// For each function that a kernel reaches, the step that reaches it first.
std::vector<Step> steps_from_kernels(const LinkFacts &facts, std::vector<bool> &reached) {
  std::vector<Step> steps(facts.functions.size());
  std::vector<u32> queue;
  reached.assign(facts.functions.size(), false);
  for (u32 f = 0; f < facts.functions.size(); ++f)
    if (facts.functions[f].kernel && facts.functions[f].live) {
      queue.push_back(f);
      reached[f] = true;
    }
  for (size_t next = 0; next < queue.size(); ++next) {
    const u32 from = queue[next];
    const auto follow = [&](const std::vector<u32> &callees, bool pointer) {
      for (const u32 callee : callees)
        if (!reached[callee]) {
          reached[callee] = true;
          steps[callee] = {from, pointer};
          queue.push_back(callee);
        }
    };
    follow(facts.functions[from].calls, false);
    follow(facts.functions[from].pointer_calls, true);
  }
  return steps;
}

std::string chain_text(const LinkFacts &facts, const std::vector<Step> &steps, u32 function,
                       NameStyle names) {
  std::vector<u32> chain = {function};
  while (steps[chain.back()].from != kNobody)
    chain.push_back(steps[chain.back()].from);
  std::string out;
  for (size_t i = chain.size(); i-- > 0;) {
    const FunctionFacts &item = facts.functions[chain[i]];
    const std::string_view how = steps[chain[i]].from == kNobody ? "kernel"
                                 : steps[chain[i]].pointer       ? "may call through a pointer"
                                                                 : "calls";
    out += fmt::format(">>> {} {}{}{}\n", how, shown_name(item.name, names),
                       item.file.empty() ? "" : " of ", item.file);
  }
  return out;
}

} // namespace

std::string why_live_text(const LinkFacts &facts, const std::string &name, NameStyle names) {
  std::vector<bool> reached;
  const std::vector<Step> steps = steps_from_kernels(facts, reached);
  std::string out;
  for (u32 f = 0; f < facts.functions.size(); ++f) {
    const FunctionFacts &item = facts.functions[f];
    if (!is_called(item.name, name))
      continue;
    out += fmt::format("{}: ", shown_name(item.name, names));
    if (!item.live)
      out += "not part of the output\n";
    else if (reached[f])
      out += "kept by\n" + chain_text(facts, steps, f, names);
    else
      out += item.address_taken ? "kept because its address is taken\n"
                                : "kept because all code is (-g, -r, --preserve-relocs)\n";
  }
  return out.empty() ? fmt::format("{}: no function of that name\n", name) : out;
}

} // namespace culink
