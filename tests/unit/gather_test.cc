// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/gather.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(Gather, keeps_the_order_for_any_number_of_threads_and_ranges) {
  constexpr u32 kCount = 1000;
  std::vector<u32> expected;
  for (u32 i = 0; i < kCount; ++i)
    expected.insert(expected.end(), i % 3, i); // none, one or two of each
  for (const u32 threads : {1, 4})
    for (const u32 grain : {1u, 7u, 100u, kCount, 2 * kCount}) {
      WorkerPool pool(threads);
      const std::vector<u32> found =
          gather<u32>(kCount, grain, pool,
                      [](u32 i, std::vector<u32> &out) { out.insert(out.end(), i % 3, i); });
      EXPECT_EQ(found, expected) << threads << " threads, " << grain;
    }
}

TEST(Gather, finds_nothing_among_nothing) {
  WorkerPool pool(4);
  EXPECT_TRUE(
      gather<u32>(0, 8, pool, [](u32 i, std::vector<u32> &out) { out.push_back(i); }).empty());
}

} // namespace
} // namespace culink
