// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/string_index.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

// Names that share hashes, so that most slots are taken by others.
TEST(NameSlots, finds_names_of_its_caller) {
  std::vector<std::string> names;
  NameSlots slots;
  EXPECT_EQ(slots.find(0, [](u32) { return true; }), std::nullopt);
  for (u32 i = 0; i < 1000; ++i) {
    names.push_back(std::to_string(i));
    const auto is_same = [&](u32 id) { return names[id] == names[i]; };
    EXPECT_EQ(slots.insert(i / 3, i, is_same), std::pair(i, true));
    EXPECT_EQ(slots.insert(i / 3, i + 1, is_same), std::pair(i, false));
  }
  EXPECT_EQ(slots.size(), 1000u);
  for (u32 i = 0; i < names.size(); ++i)
    EXPECT_EQ(slots.find(i / 3, [&](u32 id) { return names[id] == names[i]; }), i);
  EXPECT_EQ(slots.find(7, [](u32) { return false; }), std::nullopt);
}

} // namespace
} // namespace culink
