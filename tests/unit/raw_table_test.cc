// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/raw_table.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/worker_pool.h"

namespace culink {
namespace {

TEST(RawTable, grows_and_keeps_what_it_holds) {
  RawTable<u32> table;
  for (u32 i = 0; i < 100; ++i)
    EXPECT_EQ(table.push_back(i), i);
  EXPECT_EQ(table.size(), 100u);
  u32 next = 0;
  for (const u32 value : table)
    EXPECT_EQ(value, next++);
}

TEST(RawTable, adds_elements_that_the_caller_assigns) {
  RawTable<u32> table;
  for (u32 i = 0; i < 100; ++i)
    table.add() = i * 3;
  ASSERT_EQ(table.size(), 100u);
  for (u32 i = 0; i < 100; ++i)
    EXPECT_EQ(table[i], i * 3);
}

TEST(RawTable, is_copied_with_what_it_holds) {
  RawTable<u32> table;
  table.reserve(2);
  table.add_in_room() = 7;
  table.add_in_room() = 8;
  RawTable<u32> copy = table;
  table[0] = 9;
  ASSERT_EQ(copy.size(), 2u);
  EXPECT_EQ(copy[0], 7u);
  EXPECT_EQ(copy[1], 8u);
  copy = RawTable<u32>();
  EXPECT_EQ(copy.size(), 0u);
  copy = table;
  ASSERT_EQ(copy.size(), 2u);
  EXPECT_EQ(copy[0], 9u);
}

TEST(RawTable, keeps_the_first_elements_when_it_is_resized) {
  RawTable<u32> table;
  table.push_back(7);
  table.push_back(8);
  table.resize(1000);
  EXPECT_EQ(table.size(), 1000u);
  EXPECT_GE(table.capacity(), 1000u);
  table.resize(2);
  EXPECT_EQ(table.push_back(9), 9u);
  EXPECT_EQ(std::vector<u32>(table.begin(), table.end()), (std::vector<u32>{7, 8, 9}));
}

TEST(RawTable, is_empty_when_it_has_been_moved) {
  RawTable<u32> from;
  from.push_back(7);
  RawTable<u32> to = std::move(from);
  EXPECT_EQ(to.size(), 1u);
  EXPECT_EQ(from.size(), 0u); // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(from.capacity(), 0u);
  from.push_back(8);
  to = std::move(from);
  EXPECT_EQ(to.size(), 1u);
  EXPECT_EQ(to[0], 8u);
  EXPECT_EQ(from.size(), 0u);
}

TEST(RawTable, leaves_new_elements_to_the_threads) {
  RawTable<u64> table;
  table.push_back(1);
  const u64 first = table.extend(10'000);
  EXPECT_EQ(first, 1u);
  WorkerPool pool(4);
  pool.for_ranges(10'000, 128, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      table.put(first + i, u64{i} * i);
  });
  EXPECT_EQ(table[0], 1u);
  for (u32 i = 0; i < 10'000; ++i)
    ASSERT_EQ(table[first + i], u64{i} * i);
}

} // namespace
} // namespace culink
