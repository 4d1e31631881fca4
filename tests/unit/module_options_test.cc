// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/lto/optimize.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

constexpr std::string_view kUsual = "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ";

TEST(ModuleOptions, RecordsOfNvccAreUnderstood) {
  const ModuleOptions usual = parse_module_options(kUsual);
  EXPECT_EQ(usual.arithmetic, (std::array<bool, 4>{false, true, true, true}));
  EXPECT_FALSE(usual.max_registers);
  EXPECT_FALSE(usual.line_info);
  const ModuleOptions other = parse_module_options(
      "-split-compile 2 -generate-line-info -maxreg 40 -ftz=1 -prec_div=0 -prec_sqrt=0 -fmad=0");
  EXPECT_EQ(other.arithmetic, (std::array<bool, 4>{true, false, false, false}));
  EXPECT_EQ(other.max_registers, 40u);
  EXPECT_TRUE(other.line_info);
  EXPECT_EQ(other.split_compile, 2u);
  EXPECT_FALSE(parse_module_options("-maxreg").max_registers);
  EXPECT_FALSE(parse_module_options("-maxreg many").max_registers);
}

TEST(ModuleOptions, WhatOneModuleHasHoldsForAll) {
  Diagnostics diag;
  const ModuleOptions joined = join_module_options(
      {{"a", kUsual}, {"b", "-generate-line-info -maxreg 40 -ftz=0"}}, {}, diag);
  EXPECT_TRUE(joined.line_info);
  EXPECT_EQ(joined.max_registers, 40u);
  ASSERT_EQ(diag.all().size(), 2u);
  EXPECT_EQ(diag.all()[0].id, DiagId::OptionForAll);
  EXPECT_EQ(diag.all()[0].arguments[0], "-lineinfo");
  EXPECT_EQ(diag.all()[1].arguments[1], "-maxrregcount=40");
}

TEST(ModuleOptions, ContradictionsAreErrors) {
  Diagnostics arithmetic;
  (void)join_module_options({{"a", kUsual}, {"b", "-ftz=1"}}, {}, arithmetic);
  ASSERT_EQ(arithmetic.all().size(), 1u);
  EXPECT_EQ(arithmetic.all()[0].id, DiagId::MixedModuleOptions);
  EXPECT_EQ(arithmetic.all()[0].arguments, (std::vector<std::string>{"-ftz", "a", "b"}));
  Diagnostics registers;
  (void)join_module_options({{"a", "-maxreg 40"}, {"b", ""}, {"c", "-maxreg 50"}}, {}, registers);
  ASSERT_EQ(registers.all().size(), 1u);
  EXPECT_EQ(registers.all()[0].arguments, (std::vector<std::string>{"-maxrregcount", "a", "c"}));
  Diagnostics threads;
  (void)join_module_options({{"a", "-split-compile 2"}, {"b", ""}, {"c", "-split-compile 3"}}, {},
                            threads);
  ASSERT_EQ(threads.all().size(), 1u);
  EXPECT_EQ(threads.all()[0].arguments, (std::vector<std::string>{"-split-compile", "a", "c"}));
}

TEST(ModuleOptions, TheLinksOwnRegisterLimitCountsAlone) {
  Diagnostics diag;
  const ModuleOptions joined =
      join_module_options({{"a", "-maxreg 40"}, {"b", "-maxreg 50"}, {"c", ""}}, 60, diag);
  EXPECT_EQ(joined.max_registers, 60u);
  EXPECT_TRUE(diag.all().empty());
}

TEST(ModuleOptions, ArithmeticIsSpelledForTheOptimiser) {
  EXPECT_EQ(arithmetic_words({}, {}),
            (std::vector<std::string>{"-ftz=0", "-prec-div=1", "-prec-sqrt=1", "-fma=1"}));
  EXPECT_EQ(arithmetic_words({}, {"-ftz=1", "-opt=3"}),
            (std::vector<std::string>{"-prec-div=1", "-prec-sqrt=1", "-fma=1"}));
}

} // namespace
} // namespace culink
