// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "culink/host_references.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

struct Row {
  const char *name;
  const char *pattern;
  bool fits;
};

TEST(Pattern, a_star_stands_for_any_text_and_nothing_else_is_special) {
  const Row rows[] = {
      {"", "", true},
      {"", "*", true},
      {"a", "", false},
      {"abc", "abc", true},
      {"abc", "ab", false},
      {"abc", "bc", false},
      {"abc", "ab*", true},
      {"ab", "ab*", true},
      {"abc", "*c", true},
      {"abc", "a*c", true},
      {"abbbc", "a*b*c", true},
      {"abd", "a*c", false},
      {"abc", "a?c", false},
      {"a?c", "a?c", true},
      {"_Z5kusedPi", "_Z5kused*", true},
      {"_Z6kusedxPi", "_Z5kused*", false},
      {"__nv_static_24__1234_6skusedPi", "__nv_static_24__1234_*6skused*", true},
      {"aXbXbYc", "a*bY*", true},
      {"abc", "**", true},
      {"abc", "a**c**", true},
  };
  for (const Row &row : rows)
    EXPECT_EQ(matches_pattern(row.name, row.pattern), row.fits) << row.name << " " << row.pattern;
}

TEST(Pattern, many_stars_do_not_take_forever) {
  std::string pattern;
  for (int i = 0; i < 200; ++i)
    pattern += "a*";
  EXPECT_FALSE(matches_pattern(std::string(20000, 'a'), pattern + "b"));
}

} // namespace
} // namespace culink
