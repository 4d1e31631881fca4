// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/raw_table.h"

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
