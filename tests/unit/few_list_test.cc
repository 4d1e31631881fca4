// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/few_list.h"

#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

using List = FewList<u32, 2>;

std::vector<u32> elements(const List &list) {
  return {list.begin(), list.end()};
}

TEST(FewList, keeps_few_and_many_in_order) {
  List list;
  EXPECT_TRUE(list.empty());
  std::vector<u32> expected;
  for (u32 i = 0; i < 9; ++i) {
    list.push_back(i);
    expected.push_back(i);
    EXPECT_EQ(elements(list), expected);
    EXPECT_EQ(list.size(), i + 1);
  }
}

TEST(FewList, moves_with_what_it_has) {
  List few = {1, 2}, many = {1, 2, 3};
  EXPECT_EQ(elements(std::exchange(few, {})), (std::vector<u32>{1, 2}));
  EXPECT_EQ(elements(std::exchange(many, {})), (std::vector<u32>{1, 2, 3}));
  EXPECT_TRUE(few.empty());
  EXPECT_TRUE(many.empty());
}

TEST(FewList, is_empty_where_bytes_are_zero) {
  List list;
  std::memset(static_cast<void *>(&list), 0, sizeof(List));
  EXPECT_TRUE(list.empty());
  for (u32 i = 0; i < 3; ++i)
    list.push_back(i);
  EXPECT_EQ(elements(list), (std::vector<u32>{0, 1, 2}));
}

} // namespace
} // namespace culink
