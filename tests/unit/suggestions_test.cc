// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is suggested for words that are no options, and names that are alike.
#include "driver/options/command_line.h"

#include <gtest/gtest.h>

#include "link/model/name_pattern.h"

namespace culink {
namespace {

TEST(SimilarNames, TheNearestComesFirst) {
  EXPECT_EQ(edit_distance("smooth", "smoth", 9), 1u);
  EXPECT_EQ(edit_distance("ab", "ba", 9), 1u);
  EXPECT_EQ(edit_distance("abc", "xyz", 2), 2u);
  const std::vector<std::string_view> near =
      similar_names("totql", {"smooth", "toto", "total", "totals"}, 2);
  ASSERT_EQ(near.size(), 2u);
  EXPECT_EQ(near[0], "total");
  EXPECT_EQ(near[1], "totals");
  EXPECT_EQ(comma_list(near), "total, totals");
}

TEST(Suggestions, EveryDocumentedOptionIsInOneGroup) {
  for (const OptionRow *row : documented_rows()) {
    size_t count = 0;
    for (const OptionGroup &group : option_groups())
      for (const OptionRow &other : group.options)
        count += other.id == row->id ? 1 : 0;
    EXPECT_EQ(count, 1u) << row->name;
  }
}

TEST(Suggestions, OptionsAreSuggestedAsTheyAreSpelled) {
  EXPECT_EQ(suggest_option("--verbos"), "did you mean '--verbose'?");
  EXPECT_EQ(suggest_option("-kernel-used=k"), "did you mean '-kernels-used=k'?");
  EXPECT_EQ(suggest_option("--o=x"), "did you mean '-o=x'?");
  EXPECT_EQ(suggest_option("-"), "culink --help lists all options");
}

TEST(Suggestions, ValuesAreListedBehindTheNearest) {
  for (const char *other : {"sm_52", "sm_91", "native"})
    EXPECT_TRUE(
        suggest_value(option_row(OptionId::Arch), other).starts_with("values: sm_75, sm_80, "));
  EXPECT_TRUE(
      suggest_value(option_row(OptionId::Arch), "90").starts_with("did you mean 'sm_90'? "));
  EXPECT_TRUE(suggest_value(option_row(OptionId::Arch), "sm100")
                  .starts_with("did you mean 'sm_100'? values: sm_75, "));
  EXPECT_EQ(suggest_value(option_row(OptionId::Color), "alwaxs"),
            "did you mean 'always'? values: auto, always, never");
  EXPECT_EQ(suggest_value(option_row(OptionId::Output), "x"), "");
}

} // namespace
} // namespace culink
