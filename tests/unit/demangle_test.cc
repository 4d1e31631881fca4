// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as people see them: what the compiler makes of names, row by row, and names that somebody
// wrote to do harm.
#include "support/demangle.h"

#include <fstream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/types.h"

namespace culink {
namespace {

std::vector<std::pair<std::string, std::string>> rows() {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/demangled_names.txt");
  std::vector<std::pair<std::string, std::string>> out;
  for (std::string line; std::getline(file, line);)
    if (const size_t tab = line.find('\t'); tab != std::string::npos)
      out.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  return out;
}

TEST(Demangle, leads_names_back_to_the_source) {
  for (const auto &[name, shown] : rows())
    EXPECT_EQ(demangle(name), shown) << name;
  EXPECT_GT(rows().size(), 60u);
}

TEST(Demangle, shows_names_in_the_style_that_is_wanted) {
  EXPECT_EQ(shown_name("_Z1kPf", demangle), "k(float*)");
  EXPECT_EQ(shown_name("_Z1kPf", nullptr), "_Z1kPf");
}

// Each parameter holds the one before it twice: S_ is A, S0_ the first parameter.
std::string doubling_name(u32 times) {
  std::string name = "_Z1f1AIiiE";
  for (u32 i = 0; i < times; ++i) {
    const char c = static_cast<char>(i < 10 ? '0' + i : 'A' + i - 10);
    name += std::string("S_IS") + c + "_S" + c + "_E";
  }
  return name;
}

TEST(Demangle, leaves_names_alone_that_explode) {
  EXPECT_EQ(demangle(doubling_name(5)).substr(0, 2), "f(");
  for (u32 times = 14; times <= 36; ++times)
    EXPECT_EQ(demangle(doubling_name(times)), doubling_name(times));
  std::string deep = "_Z1f"; // F: a function that takes the one before it, too
  for (u32 i = 0; i < 100; ++i)
    deep += "F";
  deep += "v";
  for (u32 i = 0; i < 100; ++i)
    deep += i == 0 ? "1AE" : i < 11 ? "S" + std::to_string(i - 1) + "_E" : "S9_E";
  EXPECT_LT(demangle(deep).size(), 100000u);
}

// libstdc++ 12 would read them for ever.
TEST(Demangle, leaves_names_alone_that_never_end) {
  for (const std::string name :
       {"_ZZ2cJDtsr2cJD", "_Z2cJ2c$DtsrnchIDF12cJ2c$DtsrkA", "_ZZ2ZZ2cJ2c$DtsrDtsrCCCCCCCC",
        "_ZZ2ZZ2cJ2c$DtsrrtDZ2sZJ2c$DtsrDtsrZ2ZZ2", "_Z2cJ2c$Dtsr2cJ2c$DtsrU2ZZ2", "_Z2cJDtsr2C",
        "_ZZ1aij2c$Dtsr2ffD3_)Z", "_ZZ2ZZ2cJ2c$Dtsr2ZZ2D"})
    EXPECT_EQ(demangle(name), name);
  EXPECT_NE(demangle("_Z1fIiEDTsr3std5valueET_"), "_Z1fIiEDTsr3std5valueET_");
}

TEST(Demangle, leaves_long_and_deep_names_alone) {
  const std::string pointers = "_Z1f" + std::string(100000, 'P') + "i";
  EXPECT_EQ(demangle(pointers), pointers);
  const std::string parameters = "_Z1f" + std::string(1021, 'i');
  EXPECT_EQ(demangle(parameters), parameters);
  EXPECT_EQ(demangle(parameters.substr(0, 1024)).size(), 3 + 1020 * 5 - 2u);
  const std::string number = "_Z99999999999999999999999999x";
  EXPECT_EQ(demangle(number), number);
  std::string copies;
  for (u32 i = 0; i < 10000; ++i)
    copies += "$__internal_0_$";
  EXPECT_EQ(demangle(copies), copies);
}

TEST(Demangle, survives_every_cut_and_flip_of_names) {
  size_t length = 0;
  for (const auto &[name, shown] : rows())
    for (size_t i = 0; i < name.size(); ++i) {
      std::string changed = name;
      length += demangle(name.substr(0, i)).size();
      for (const char c : {'E', 'S', 'I', '_', '9', 'N', 'L', 'T', 'F', '$'}) {
        changed[i] = c;
        length += demangle(changed).size();
      }
    }
  EXPECT_GT(length, 100000u);
}

TEST(Demangle, leaves_names_with_a_zero_as_they_are) {
  const std::string_view name("_Z1fv\0_Z1gv", 11);
  EXPECT_EQ(demangle(name), name);
}

TEST(Demangle, knows_the_plain_name) {
  EXPECT_EQ(plain_name("_Z5totalPKfPfi"), "total");
  EXPECT_EQ(plain_name("_ZN3app4tmplIfEET_S1_"), "app::tmpl");
  EXPECT_EQ(plain_name("_ZN40_GLOBAL__N__264b0677_13_names_test_cu_gp1fEv"), "f");
  EXPECT_EQ(plain_name("$___ZZ1kPfE4tile__321"), "tile");
  EXPECT_EQ(plain_name("vprintf"), "vprintf");
}

TEST(Demangle, knows_what_people_mean) {
  const auto means = [](std::string_view wanted, std::string_view name) {
    return is_called(name, wanted);
  };
  for (const std::string_view wanted :
       {"_Z5totalPKfPfi", "total(float const*, float*, int)", "total"})
    EXPECT_TRUE(means(wanted, "_Z5totalPKfPfi")) << wanted;
  for (const std::string_view wanted :
       {"app::tmpl<float>", "float app::tmpl<float>", "float app::tmpl<float>(float)"})
    EXPECT_TRUE(means(wanted, "_ZN3app4tmplIfEET_S1_")) << wanted;
  for (const std::string_view wanted : {"tile#2", "tile#2 in k(float*)"})
    EXPECT_TRUE(means(wanted, "$___ZZ1kPfE4tile_0__323")) << wanted;
  EXPECT_TRUE(means("tile", "$___ZZ1kPfE4tile__321"));
  EXPECT_TRUE(means("V::operator+", "_ZNK1VplES_"));
  EXPECT_TRUE(
      means("(anonymous namespace)::f", "_ZN40_GLOBAL__N__264b0677_13_names_test_cu_gp1fEv"));
  for (const std::string_view wanted : {"", "tota", "otal", "float*", "total(", "tile"})
    EXPECT_FALSE(means(wanted, "_Z5totalPKfPfi")) << wanted;
}

} // namespace
} // namespace culink
