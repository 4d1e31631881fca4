// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/report/nvlink_reports.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(ResourceLines, are_worded_and_ordered_as_nvlink_does) {
  LinkFacts facts;
  facts.functions.resize(3);
  facts.functions[0].name = "ka";
  facts.functions[2].name = "kb";
  facts.global_bytes = 100;
  facts.constants = {{3, 12}};
  facts.kernels.resize(2);
  facts.kernels[0] = {.function = 0,
                      .registers = 10,
                      .constants = {{0, 556}},
                      .textures = 2,
                      .samplers = 3,
                      .surfaces = 1};
  facts.kernels[1] = {.function = 2,
                      .registers = 24,
                      .barriers = 6,
                      .stack = 232,
                      .shared = 1280,
                      .constants = {{0, 540}, {2, 28}}};
  EXPECT_EQ(resource_lines(facts, Wording::Own),
            (std::vector<std::string>{
                "100 bytes gmem, 12 bytes cmem[3]", "Function properties for 'kb':",
                "used 24 registers, used 6 barriers, 232 stack, 1280 bytes smem, 540 bytes "
                "cmem[0], 28 bytes cmem[2], 0 bytes lmem",
                "Function properties for 'ka':",
                "used 10 registers, used 0 barriers, 0 stack, 0 bytes smem, 556 bytes cmem[0], 0 "
                "bytes lmem, 2 textures, 1 surfaces, 3 samplers"}));
}

// What nvlink does not count, and how it shows large numbers.
TEST(ResourceLines, are_as_nvlink_has_them_on_request) {
  LinkFacts facts;
  facts.mercury = true;
  facts.functions.resize(1);
  facts.functions[0].name = "k";
  facts.constants = {{3, 12}};
  facts.kernels.resize(1);
  facts.kernels[0] = {.stack = 3000000024, .constants = {{2, 28}}, .textures = 2};
  EXPECT_EQ(resource_lines(facts, Wording::Nvlink),
            (std::vector<std::string>{"0 bytes gmem", "Function properties for 'k':",
                                      "used 0 registers, used 0 barriers, -1294967272 stack, 0 "
                                      "bytes smem, 0 bytes lmem"}));
  EXPECT_EQ(
      resource_lines(facts, Wording::Own),
      (std::vector<std::string>{"0 bytes gmem, 12 bytes cmem[3]", "Function properties for 'k':",
                                "used 0 registers, used 0 barriers, 3000000024 stack, 0 "
                                "bytes smem, 28 bytes cmem[2], 0 bytes lmem, 2 textures"}));
  facts.mercury = false;
  EXPECT_EQ(resource_lines(facts, Wording::Nvlink)[0], "0 bytes gmem, 12 bytes cmem[3]");
}

} // namespace
} // namespace culink
