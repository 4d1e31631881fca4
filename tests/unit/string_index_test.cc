// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/string_index.h"

#include <set>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/name_map.h"
#include "base/worker_pool.h"

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

// What cannot be inserted quickly is left to insert(), and both find what the other one has added.
TEST(StringIndex, inserts_new_strings_quickly_where_there_is_room) {
  std::vector<std::string> strings;
  for (u32 i = 0; i < 2000; ++i)
    strings.push_back(".p" + std::to_string(i % 11) + ".f" + std::to_string(i / 11));
  StringIndex index;
  EXPECT_FALSE(index.insert_quickly(strings[0], StringIndex::hash_of(strings[0])));
  EXPECT_EQ(index.size(), 0u);
  index.reserve(1000);
  u32 quick = 0;
  for (u32 i = 0; i < strings.size(); ++i) {
    const u32 hash = StringIndex::hash_of(strings[i]);
    if (index.insert_quickly(strings[i], hash))
      ++quick;
    else
      EXPECT_EQ(index.insert(strings[i], hash), std::pair(i, true));
    EXPECT_FALSE(index.insert_quickly(strings[i], hash));
  }
  EXPECT_GT(quick, 100u);
  ASSERT_EQ(index.size(), strings.size());
  for (u32 i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(index.find(strings[i]), i);
    EXPECT_EQ(index[i], strings[i]);
  }
}

TEST(StringIndex, joins_hashes_of_the_parts_of_a_name) {
  const u32 family = StringIndex::family_of("kernel");
  EXPECT_EQ(StringIndex::hash_of(".rela.text.kernel"),
            StringIndex::join_hashes(StringIndex::hash_of_prefix(".rela.text"), family));
  EXPECT_EQ(StringIndex::hash_of(".rela.text.kernel"),
            StringIndex::hash_of(".rela.text.kernel", "kernel", family));
  EXPECT_NE(StringIndex::hash_of(".rela.text.kernel"), StringIndex::hash_of(".rel.text.kernel"));
}

// Parts share some strings, some of which have more of their kind than lines have room for, and one
// of them has none of its own. The first one may have room for all.
TEST(StringIndex, joins_parts_and_finds_the_first_of_equal_strings) {
  std::vector<std::vector<std::string>> strings(9);
  for (u32 part = 0; part < strings.size(); ++part)
    for (u32 i = 0; i < 500; ++i) {
      strings[part].push_back(".text.f" + std::to_string(i % 7 == 0 ? i : (part / 2 * 500) + i));
      if (i % 5 == 0)
        strings[part].push_back("." + std::to_string((i * (9 - part)) % 600) + ".family");
    }
  for (const auto &[threads, room] :
       {std::pair(1u, 0u), {4u, 0u}, {1u, 9 * 600u}, {4u, 9 * 600u}}) {
    WorkerPool pool(threads);
    std::vector<StringIndex> indexes(strings.size() + 1); // the last one is empty
    std::vector<StringIndex *> parts;
    indexes[0].reserve(room);
    for (u32 part = 0; part < indexes.size(); ++part) {
      if (part < strings.size())
        for (const std::string &s : strings[part])
          indexes[part].insert(s);
      parts.push_back(&indexes[part]);
    }
    const std::vector<StringIndex> copies = indexes;
    StringIndex::Joined joined = StringIndex::join(parts, pool);
    StringIndex one;
    std::vector<u32> first_of; // by number in `one`
    u32 next = 0;
    for (u32 part = 0; part < copies.size(); ++part) {
      EXPECT_EQ(joined.starts[part], next);
      size_t known = 0;
      for (u32 i = 0; i < copies[part].size(); ++i, ++next) {
        const std::string_view s = copies[part][i];
        const auto [number, is_new] = one.insert(s);
        if (is_new) {
          first_of.push_back(next);
        } else {
          ASSERT_LT(known, joined.known[part].size());
          EXPECT_EQ(joined.known[part][known].own, i);
          EXPECT_EQ(joined.known[part][known].number, first_of[number]);
          ++known;
        }
        EXPECT_EQ(joined.index[next], s);
        EXPECT_EQ(joined.index.find(s), first_of[number]);
      }
      EXPECT_EQ(joined.known[part].size(), known);
    }
    EXPECT_EQ(joined.index.size(), next);
    EXPECT_EQ(joined.index.find(".text.g"), std::nullopt);
    EXPECT_EQ(joined.index.insert(".text.g"), std::pair(next, true));
  }
}

TEST(StringIndex, finds_nothing_when_empty) {
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
