// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

namespace culink {
namespace {

TEST(WorkerPool, CallsEveryNumberOnce) {
  for (const u32 threads : {1u, 2u, 5u}) {
    WorkerPool pool(threads);
    for (const u32 count : {0u, 1u, 2u, 1000u}) {
      std::vector<u32> calls(count, 0);
      pool.for_each(count, [&](u32 i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<u32>(count, 1)) << threads << " threads";
    }
  }
}

TEST(WorkerPool, RunsOnTheCallersThreadAloneIfThereIsOne) {
  WorkerPool pool(1);
  EXPECT_EQ(pool.threads(), 1u);
  std::set<std::thread::id> seen;
  pool.for_each(100, [&](u32) { seen.insert(std::this_thread::get_id()); });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

// Threads look for the next loop before they sleep; a pause lets them fall asleep. Nothing of a
// loop is left to the next one.
TEST(WorkerPool, TakesLoopsThatFollowAtOnceOrLate) {
  WorkerPool pool(4);
  for (u32 loop = 0; loop < 300; ++loop) {
    if (loop % 50 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<u32> sum = 0;
    pool.for_each(2 + loop % 7, [&](u32 i) { sum += i + 1; });
    const u32 count = 2 + loop % 7;
    ASSERT_EQ(sum, count * (count + 1) / 2) << "loop " << loop;
  }
}

// Every call waits until as many calls as there are threads are running.
TEST(WorkerPool, RunsOnAllThreadsAtOnce) {
  constexpr u32 kThreads = 3;
  WorkerPool pool(kThreads);
  std::atomic<u32> running = 0;
  pool.for_each(kThreads, [&](u32) {
    ++running;
    while (running < kThreads)
      std::this_thread::yield();
  });
  EXPECT_EQ(running, kThreads);
}

TEST(WorkerPool, CutsNumbersIntoRanges) {
  WorkerPool pool(2);
  std::vector<u32> ends(4, 0);
  pool.for_ranges(10, 3, [&](u32 begin, u32 end) { ends[begin / 3] = end; });
  EXPECT_EQ(ends, (std::vector<u32>{3, 6, 9, 10}));
  pool.for_ranges(0, 3, [](u32, u32) { FAIL(); });
}

TEST(WorkerPool, ThrowsAgainWhatACallThrewAndStaysUsable) {
  for (const u32 threads : {1u, 4u}) {
    WorkerPool pool(threads);
    EXPECT_THROW(pool.for_each(50,
                               [](u32 i) {
                                 if (i == 7)
                                   throw std::length_error("seven");
                               }),
                 std::length_error);
    std::atomic<u32> calls = 0;
    pool.for_each(50, [&](u32) { ++calls; });
    EXPECT_EQ(calls, 50u);
  }
}

TEST(WorkerPool, ChoosesAtLeastOneThreadAndNotTooMany) {
  EXPECT_GE(WorkerPool(0).threads(), 1u);
  EXPECT_LE(WorkerPool(1000).threads(), 16u);
}

} // namespace
} // namespace culink
