// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/engines.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

FinalizerEngine both() {
  return {.library = "libnvJitLink.so", .worker = "culink", .nvlink = "nvlink"};
}

constexpr u64 kFunction = 2000, kManyFunctions = 40 * kFunction; // bytes of code

TEST(ChooseEngines, FewLinksAreForTheProgramAndRunAtOnce) {
  const EngineUse pair = choose_engines(both(), 2, 2 * kFunction, 16);
  EXPECT_TRUE(pair.program_first);
  EXPECT_EQ(pair.at_once, 2u);
  EXPECT_EQ(choose_engines(both(), 2, 2 * kFunction, 1).at_once, 1u);
  EXPECT_EQ(choose_engines(both(), 0, 0, 16).at_once, 1u);
}

TEST(ChooseEngines, ManyLinksAreForAsManyWorkersAsHaveEnoughToDo) {
  const EngineUse small = choose_engines(both(), 50, 50 * kFunction, 16);
  EXPECT_FALSE(small.program_first);
  EXPECT_GT(small.at_once, 1u);
  EXPECT_LT(small.at_once, 8u);
  const EngineUse large = choose_engines(both(), 400, 400 * kManyFunctions, 16);
  EXPECT_FALSE(large.program_first);
  EXPECT_EQ(large.at_once, 16u);
}

TEST(ChooseEngines, OneEngineIsAskedForAll) {
  FinalizerEngine library = both(), program = both();
  library.nvlink.clear();
  program.library.clear();
  EXPECT_FALSE(choose_engines(library, 2, 2 * kFunction, 16).program_first);
  EXPECT_EQ(choose_engines(library, 2, 2 * kFunction, 16).at_once, 1u);
  EXPECT_EQ(choose_engines(program, 400, 400 * kFunction, 16).at_once, 16u);
}

} // namespace
} // namespace culink
