// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/table_memory.h"

#include <algorithm>
#include <cstdint>
#include <latch>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

u64 address(const void *at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

u64 page_of(const void *at) {
  return address(at) / kLargePage;
}

TEST(TableMemory, PartsAreAlignedAndDoNotOverlap) {
  TableMemory memory;
  u64 end = 0;
  for (const u64 size : {1, 64, 65, 1000, 0, 7}) {
    u8 *part = memory.allocate(size);
    ASSERT_NE(part, nullptr);
    std::fill_n(part, size, u8{1});
    EXPECT_EQ(address(part) % TableMemory::kAlignment, 0u);
    EXPECT_GE(address(part), end);
    end = address(part) + size;
  }
}

// More than one run of pages.
TEST(TableMemory, HasAsManyPartsAsAreWanted) {
  TableMemory memory;
  constexpr u64 kSize = TableMemory::kMostAtOnce - 100;
  std::vector<u8 *> parts;
  for (u32 i = 0; i < 50; ++i) {
    parts.push_back(memory.allocate(kSize));
    ASSERT_NE(parts.back(), nullptr);
    parts.back()[0] = parts.back()[kSize - 1] = static_cast<u8>(i);
  }
  for (u32 i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i][0], i);
    EXPECT_EQ(parts[i][kSize - 1], i);
  }
}

TEST(TableMemory, ThreadsFillPagesOfTheirOwn) {
  TableMemory memory;
  constexpr u32 kThreads = 4, kParts = 500;
  std::vector<std::vector<u8 *>> parts(kThreads);
  std::latch all_are_there(kThreads); // a thread that has ended leaves its number to another one
  std::vector<std::jthread> threads;
  for (u32 t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (u32 i = 0; i < kParts; ++i) {
        parts[t].push_back(memory.allocate(1000 + i));
        std::fill_n(parts[t].back(), 1000 + i, static_cast<u8>(t));
      }
      all_are_there.arrive_and_wait();
    });
  threads.clear();
  std::map<u64, u32> thread_of; // by page
  for (u32 t = 0; t < kThreads; ++t)
    for (u32 i = 0; i < kParts; ++i) {
      const std::span<u8> part(parts[t][i], 1000 + i);
      ASSERT_TRUE(std::ranges::all_of(part, [t](u8 byte) { return byte == t; })) << t << ' ' << i;
      ASSERT_EQ(thread_of.emplace(page_of(&part.front()), t).first->second, t);
      ASSERT_EQ(thread_of.emplace(page_of(&part.back()), t).first->second, t);
    }
}

TEST(TableMemory, PagesAreUsedAgainAfterTheirRelease) {
  const KeepLargePages keep;
  TableMemory memory;
  u8 *part = memory.allocate(kLargePage);
  std::fill_n(part, kLargePage, u8{7});
  std::fill_n(memory.allocate(10), 10, u8{8});
  memory.release();
  u8 *again = map_large_pages(2 * kLargePage, FirstContent::Anything);
  EXPECT_EQ(again, part);
  EXPECT_EQ(again[kLargePage - 1], 7);
  EXPECT_EQ(again[kLargePage + 9], 8);
  unmap_large_pages(again, 2 * kLargePage);
  EXPECT_NE(memory.allocate(10), nullptr); // it can be filled again
}

TEST(TableAllocator, WithoutMemoryIsTheHeap) {
  TableVector<u32> table;
  table.assign(1000, 5);
  EXPECT_EQ(table.get_allocator().memory, nullptr);
  EXPECT_EQ(table[999], 5u);
}

TEST(TableAllocator, TakesTablesFromTheMemory) {
  TableMemory memory;
  TableVector<u32> one(&memory), other(&memory);
  one.assign(100, 1);
  other.assign(100, 2);
  EXPECT_EQ(page_of(one.data()), page_of(other.data()));
  EXPECT_EQ(address(one.data()) % TableMemory::kAlignment, 0u);
  for (u32 i = 0; i < 10'000; ++i)
    one.push_back(i);
  EXPECT_EQ(one[99], 1u);
  EXPECT_EQ(one[10'099], 9999u);
}

TEST(TableAllocator, LargeTablesAreElsewhere) {
  TableMemory memory;
  for (const u64 size : {TableMemory::kMostAtOnce, TableMemory::kMostAtOnce + 1, 3 * kLargePage}) {
    TableVector<u8> table(&memory);
    table.resize(size);
    std::ranges::fill(table, u8{1});
    EXPECT_EQ(table.size(), size);
  }
}

TEST(TableAllocator, MovesWithTheTableAndIsNotCopiedWithIt) {
  TableMemory memory;
  TableVector<u32> table(&memory);
  table.assign(10, 1);
  const u32 *data = table.data();
  TableVector<u32> copy = table;
  EXPECT_EQ(copy.get_allocator().memory, nullptr);
  EXPECT_EQ(copy, table);
  copy = std::move(table);
  EXPECT_EQ(copy.data(), data);
  EXPECT_EQ(copy.get_allocator().memory, &memory);
  TableVector<u32> swapped;
  swap(swapped, copy);
  EXPECT_EQ(swapped.data(), data);
  swapped = TableVector<u32>();
  EXPECT_EQ(swapped.get_allocator().memory, nullptr);
}

// As happens to what is left of a table whose memory was released.
TEST(TableAllocator, TablesMayOutliveTheMemory) {
  TableVector<u32> table;
  {
    TableMemory memory;
    TableVector<u32> filled(&memory);
    filled.assign(10, 1);
    table = std::move(filled);
  }
  table = TableVector<u32>();
  EXPECT_TRUE(table.empty());
}

} // namespace
} // namespace culink
