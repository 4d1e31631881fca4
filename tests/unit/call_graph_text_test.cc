// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/report/nvlink_reports.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

LinkFacts program() {
  LinkFacts facts;
  facts.target = "sm_90";
  facts.functions = {
      {.name = "_Z4leafi", .file = "a", .live = true, .address_taken = true, .registers = 40},
      {.name = "dead", .file = "a"},
      {.name = "vprintf", .live = true},
      {.name = "_Z4midlv", .file = "b", .live = true, .registers = 30, .calls = {2, 0}},
      {.name = "_Z1kPi",
       .file = "b",
       .kernel = true,
       .live = true,
       .registers = 24,
       .calls = {3},
       .pointer_calls = {0}},
  };
  facts.kernels.resize(1);
  facts.kernels[0].function = 4;
  facts.sections = {
      {.name = ".text._Z4midlv"}, {.name = ".text._Z4leafi"}, {.name = ".text._Z1kPi"}};
  return facts;
}

TEST(CallGraphLines, number_functions_and_show_who_calls_whom) {
  EXPECT_EQ(call_graph_lines(program(), demangle, Wording::Own),
            (std::vector<std::string>{
                "callgraph for sm_90:", "# A: s -> B // s (number A) potentially calls B",
                "# s [N]     // s uses N registers", "# ^s        // s is entry point",
                "# &s        // s has address taken", "1: &leaf(int) [40] ->",
                "2: ", "3: vprintf ->", "4: midl() [30] -> 3 1", "5: ^k(int*) [24] -> 1 4",
                "regcount 30 for midl() propagated to entry k(int*)",
                "regcount 40 for leaf(int) propagated to entry k(int*)"}));
}

TEST(CallGraphLines, show_mangled_names_on_request) {
  const std::vector<std::string> lines = call_graph_lines(program(), nullptr, Wording::Own);
  EXPECT_EQ(lines[5], "1: &_Z4leafi [40] ->");
  EXPECT_EQ(lines.back(), "regcount 40 for _Z4leafi propagated to entry _Z1kPi");
}

TEST(CallGraphLines, name_the_target_as_nvlink_does_on_request) {
  LinkFacts facts;
  facts.target = "sm_90a";
  EXPECT_EQ(call_graph_lines(facts, nullptr, Wording::Own)[0], "callgraph for sm_90a:");
  EXPECT_EQ(call_graph_lines(facts, nullptr, Wording::Nvlink)[0], "callgraph for sm_90:");
}

} // namespace
} // namespace culink
