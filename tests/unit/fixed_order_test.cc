// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/lto/optimize.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

using Parts = std::vector<std::string>;

TEST(FixedOrder, VariablesAreSortedAndNothingElseMoves) {
  const std::string first = ".version 9.0\n"
                            ".extern .func z\n;\n"
                            ".visible .global .align 4 .u32 b = 3;\n"
                            ".visible .const .align 4 .b8 a[4] = {1, 2};\n"
                            "\n"
                            ".visible .entry y()\n{\n\tret;\n}\n"
                            ".visible .entry x()\n{\n\tret;\n}\n";
  const std::string second = ".version 9.0\n"
                             ".extern .func z\n;\n"
                             ".visible .const .align 4 .b8 a[4] = {1, 2};\n"
                             ".visible .global .align 4 .u32 b = 3;\n"
                             "\n"
                             ".visible .entry y()\n{\n\tret;\n}\n"
                             ".visible .entry x()\n{\n\tret;\n}\n";
  EXPECT_EQ(in_fixed_order({first}), Parts{second});
  EXPECT_EQ(in_fixed_order({second}), Parts{second});
}

TEST(FixedOrder, VariablesFollowThoseThatTheyMention) {
  const std::string text = ".global .align 8 .u64 a = generic(c);\n"
                           ".global .align 8 .u64 b[2] = {d+8, 7};\n"
                           ".global .align 8 .u64 c = generic(d);\n"
                           ".global .align 8 .u64 d[2];\n"
                           ".global .align 8 .u64 e = somebody;\n";
  EXPECT_EQ(in_fixed_order({text}), Parts{".global .align 8 .u64 d[2];\n"
                                          ".global .align 8 .u64 c = generic(d);\n"
                                          ".global .align 8 .u64 a = generic(c);\n"
                                          ".global .align 8 .u64 b[2] = {d+8, 7};\n"
                                          ".global .align 8 .u64 e = somebody;\n"});
}

TEST(FixedOrder, LongListsOfVariablesHangTogether) {
  constexpr int kCount = 100000;
  std::string text;
  for (int i = 0; i < kCount; ++i)
    text += ".global .u64 v" + std::to_string(i) + " = generic(v" + std::to_string(i + 1) + ");\n";
  const std::string sorted = in_fixed_order({text}).front();
  EXPECT_EQ(sorted.size(), text.size());
  EXPECT_LT(sorted.find(" v99999 "), sorted.find(" v99998 "));
  EXPECT_LT(sorted.find(" v1 "), sorted.find(" v0 "));
}

TEST(FixedOrder, PartsAreSortedAndEndAnywhere) {
  EXPECT_EQ(in_fixed_order({"b", ".global .u32 a;"}), (Parts{".global .u32 a;", "b"}));
  EXPECT_EQ(in_fixed_order({"", "\n"}), (Parts{"", "\n"}));
}

} // namespace
} // namespace culink
