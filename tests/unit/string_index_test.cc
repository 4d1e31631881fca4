// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/string_index.h"

#include <set>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/name_map.h"

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

// More names with one ending than have room together, and names that only differ in theirs.
TEST(StringIndex, tells_the_members_of_families_apart) {
  std::vector<std::string> strings;
  for (u32 i = 0; i < 100; ++i)
    for (const char *family : {"kernel", "", "x", "a name of more than sixteen bytes"})
      strings.push_back("." + std::string(i % 20, 'p') + std::to_string(i) + "." + family);
  for (u32 i = 0; i < 1000; ++i)
    strings.push_back(".text.f" + std::to_string(i));
  StringIndex index;
  index.expect("kernel");
  for (u32 i = 0; i < strings.size(); ++i)
    EXPECT_EQ(index.insert(strings[i]), std::pair(i, true));
  index.expect("kernel");
  for (u32 i = 0; i < strings.size(); ++i)
    EXPECT_EQ(index.find(strings[i]), i);
  EXPECT_EQ(index.find(".text.kernel"), std::nullopt);
}

TEST(StringIndex, finds_nothing_when_empty) {
  EXPECT_EQ(StringIndex().find("a"), std::nullopt);
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
