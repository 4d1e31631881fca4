// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/string_index.h"

#include <set>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace culink {
namespace {

TEST(StringIndex, numbers_strings_in_order_of_appearance) {
  std::vector<std::string> strings = {""};
  for (u32 length = 1; length < 40; ++length)
    for (const char c : {'a', 'b', '\0'})
      strings.push_back(std::string(length - 1, 'x') + c);
  StringIndex index;
  for (u32 i = 0; i < strings.size(); ++i)
    EXPECT_EQ(index.insert(strings[i]), std::pair(i, true));
  for (u32 i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(index.insert(strings[i]), std::pair(i, false));
    EXPECT_EQ(index.find(strings[i]), i);
    EXPECT_EQ(index[i], strings[i]);
  }
  EXPECT_EQ(index.size(), strings.size());
  EXPECT_EQ(index.find("y"), std::nullopt);
}

TEST(StringIndex, grows_and_finds_every_string_again) {
  std::vector<std::string> strings;
  for (u32 i = 0; i < 5000; ++i)
    strings.push_back(".p" + std::to_string(i % 11) + ".f" + std::to_string(i / 11));
  StringIndex index;
  index.reserve(100);
  for (u32 i = 0; i < strings.size(); ++i)
    EXPECT_EQ(index.insert(strings[i]), std::pair(i, true));
  for (u32 i = 0; i < strings.size(); ++i)
    EXPECT_EQ(index.find(strings[i]), i);
  EXPECT_EQ(index.find(".text.kernel"), std::nullopt);
  EXPECT_EQ(StringIndex().find("a"), std::nullopt);
}

TEST(StringIndex, keeps_numbers_when_nothing_is_to_be_found_any_more) {
  StringIndex index;
  index.insert("a");
  index.insert("b");
  index.stop_finding();
  EXPECT_EQ(index.size(), 2u);
  EXPECT_EQ(index[1], "b");
  EXPECT_EQ(index.find("b"), std::nullopt);
}

// With these a factor of the unseeded hash was zero, whatever follows.
TEST(StringIndex, names_that_somebody_has_chosen_have_different_hashes) {
  std::set<u32> hashes;
  std::set<size_t> others;
  for (u32 i = 0; i < 10'000; ++i) {
    const std::string name = "\x15\x7c\x4a\x7f\xb9\x79\x37\x9e" + std::to_string(10'000'000 + i);
    hashes.insert(StringIndex::hash_of(name));
    others.insert(NameHash()(name));
  }
  EXPECT_GT(hashes.size(), 9'900u);
  EXPECT_GT(others.size(), 9'900u);
}

} // namespace
} // namespace culink
