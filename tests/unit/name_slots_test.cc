// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/name_slots.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

// Names that the caller has, at numbers of its own choice. All hashes share a few homes.
TEST(NameSlots, finds_names_of_its_caller) {
  std::vector<std::string> names;
  NameSlots slots;
  const auto is = [&](const std::string &name) {
    return [&](u32 number) { return names[number] == name; };
  };
  const auto hash = [](u32 i) { return i % 40 * 4; }; // of different names, too
  EXPECT_EQ(slots.find(0, is("n0")), std::nullopt);
  for (u32 i = 0; i < 500; ++i) {
    const std::string name = "n" + std::to_string(i);
    names.push_back("no name in the table");
    const u32 number = static_cast<u32>(names.size());
    names.push_back(name);
    EXPECT_EQ(slots.insert(hash(i), number, is(name)), std::pair(number, true));
  }
  EXPECT_EQ(slots.size(), 500u);
  slots.reserve(5000);
  for (u32 i = 0; i < 500; ++i) {
    const std::string name = "n" + std::to_string(i);
    EXPECT_EQ(slots.find(hash(i), is(name)), 2 * i + 1);
    EXPECT_EQ(slots.insert(hash(i), 7, is(name)), std::pair(2 * i + 1, false));
  }
  EXPECT_EQ(slots.find(hash(3), is("other")), std::nullopt);
  EXPECT_EQ(slots.find(1, is("n0")), std::nullopt);
  EXPECT_EQ(slots.size(), 500u);
}

TEST(NameSlots, inserts_nearby_only_what_is_new_there) {
  constexpr u32 kNearby = 2 * NameSlots::kLine;
  NameSlots slots;
  EXPECT_FALSE(slots.insert_nearby(5, 0)); // there are no slots yet
  slots.reserve(100);
  for (u32 i = 0; i < kNearby; ++i)
    EXPECT_TRUE(slots.insert_nearby(i << 24 | 5, i));
  EXPECT_FALSE(slots.insert_nearby(1 << 24 | 5, kNearby));  // a name of that hash is at home
  EXPECT_FALSE(slots.insert_nearby(15 << 24 | 5, kNearby)); // or in the line beside
  EXPECT_FALSE(slots.insert_nearby(90 << 24 | 5, kNearby)); // both lines are full
  EXPECT_TRUE(slots.insert_nearby(90 << 24 | 32, kNearby));
  for (u32 i = 0; i < kNearby; ++i)
    EXPECT_EQ(slots.find(i << 24 | 5, [](u32) { return true; }), i);
  EXPECT_EQ(slots.find(90 << 24 | 5, [](u32) { return true; }), std::nullopt);
  EXPECT_EQ(slots.insert(90 << 24 | 5, 99, [](u32) { return false; }), std::pair(99u, true));
  EXPECT_EQ(slots.find(90 << 24 | 5, [](u32) { return true; }), 99u);
}

} // namespace
} // namespace culink
