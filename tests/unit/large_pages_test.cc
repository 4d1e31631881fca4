// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/large_pages.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

constexpr u64 kPages = 3;
constexpr u64 kSize = kPages * kLargePage;

bool is_all(const u8 *bytes, u64 size, u8 value) {
  return std::ranges::all_of(std::span(bytes, size), [value](u8 byte) { return byte == value; });
}

u8 *map_filled(u64 size, u8 value) {
  u8 *bytes = map_large_pages(size);
  std::fill_n(bytes, size, value);
  return bytes;
}

TEST(LargePages, AreClearedAtFirst) {
  u8 *bytes = map_large_pages(kSize + 1);
  ASSERT_NE(bytes, nullptr);
  EXPECT_TRUE(is_all(bytes, kSize + 1, 0));
  unmap_large_pages(bytes, kSize + 1);
}

TEST(LargePages, MoreThanThereIsCannotBeMapped) {
  EXPECT_EQ(map_large_pages(~u64{0}), nullptr);
}

TEST(LargePages, AreUsedAgainWhileKept) {
  const KeepLargePages keep;
  u8 *first = map_filled(kSize, 1);
  unmap_large_pages(first, kSize);
  u8 *second = map_large_pages(kSize, FirstContent::Anything);
  EXPECT_EQ(second, first);
  EXPECT_TRUE(is_all(second, kSize, 1));
  unmap_large_pages(second, kSize);
}

TEST(LargePages, AreClearedAgainForWhoWantsZeros) {
  const KeepLargePages keep;
  unmap_large_pages(map_filled(kSize, 1), kSize);
  u8 *bytes = map_large_pages(2 * kSize - 5); // of which only a part was used
  EXPECT_TRUE(is_all(bytes, 2 * kSize - 5, 0));
  unmap_large_pages(bytes, 2 * kSize - 5);
}

TEST(LargePages, OfSeveralPlacesMakeOne) {
  const KeepLargePages keep;
  u8 *one = map_filled(kSize, 1), *other = map_filled(2 * kSize, 2);
  unmap_large_pages(one, kSize);
  unmap_large_pages(other, 2 * kSize);
  u8 *both = map_large_pages(4 * kSize, FirstContent::Anything);
  // The largest first; behind them are new ones.
  EXPECT_TRUE(is_all(both, 2 * kSize, 2));
  EXPECT_TRUE(is_all(both + 2 * kSize, kSize, 1));
  EXPECT_TRUE(is_all(both + 3 * kSize, kSize, 0));
  unmap_large_pages(both, 4 * kSize);
}

TEST(LargePages, AreTakenFromTheSmallestPlaceThatHasEnough) {
  const KeepLargePages keep;
  u8 *small = map_filled(kSize, 1), *large = map_filled(3 * kSize, 2);
  unmap_large_pages(large, 3 * kSize);
  unmap_large_pages(small, kSize);
  u8 *bytes = map_large_pages(kSize - kLargePage, FirstContent::Anything);
  EXPECT_EQ(bytes, small);
  u8 *next = map_large_pages(kSize, FirstContent::Anything);
  EXPECT_EQ(next, large);
  unmap_large_pages(bytes, kSize - kLargePage);
  unmap_large_pages(next, kSize);
}

TEST(LargePages, AreGivenBackAtTheEnd) {
  {
    const KeepLargePages outer;
    {
      const KeepLargePages inner;
      unmap_large_pages(map_filled(kSize, 1), kSize);
    }
    u8 *kept = map_large_pages(kSize, FirstContent::Anything); // another one keeps them
    EXPECT_TRUE(is_all(kept, kSize, 1));
    unmap_large_pages(kept, kSize);
  }
  u8 *fresh = map_large_pages(kSize, FirstContent::Anything);
  EXPECT_TRUE(is_all(fresh, kSize, 0));
  unmap_large_pages(fresh, kSize);
}

// More places than are kept are given back one by one.
TEST(LargePages, ManyPlaces) {
  const KeepLargePages keep;
  std::vector<u8 *> all;
  for (u32 i = 0; i < 300; ++i)
    all.push_back(map_large_pages(kLargePage));
  for (u8 *bytes : all)
    unmap_large_pages(bytes, kLargePage);
  u8 *bytes = map_large_pages(300 * kLargePage);
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(bytes[299 * kLargePage], 0);
  unmap_large_pages(bytes, 300 * kLargePage);
}

TEST(LargePages, AreCutUpForSmallerTablesWhileKept) {
  const KeepLargePages keep;
  EXPECT_EQ(take_part_of_page(kPartOfPage), nullptr); // none is free
  u8 *page = map_filled(kLargePage, 1);
  unmap_large_pages(page, kLargePage);
  u8 *first = take_part_of_page(kPartOfPage), *second = take_part_of_page(5 * kPartOfPage - 1);
  EXPECT_EQ(first, page);
  EXPECT_EQ(second, page + kPartOfPage);
  EXPECT_EQ(take_part_of_page(3 * kPartOfPage), nullptr);
  u8 *third = take_part_of_page(kPartOfPage + 1);
  EXPECT_EQ(third, page + 6 * kPartOfPage);
  EXPECT_TRUE(return_part_of_page(second, 5 * kPartOfPage - 1));
  EXPECT_EQ(take_part_of_page(5 * kPartOfPage), second);
  for (const auto &[part, size] :
       {std::pair(first, kPartOfPage), std::pair(second, 5 * kPartOfPage),
        std::pair(third, kPartOfPage + 1)})
    EXPECT_TRUE(return_part_of_page(part, size));
  EXPECT_EQ(map_large_pages(kLargePage, FirstContent::Anything), page); // it is whole again
  unmap_large_pages(page, kLargePage);
}

TEST(LargePages, PartsOutliveThoseWhoKeepPages) {
  u8 *part = nullptr;
  {
    const KeepLargePages keep;
    unmap_large_pages(map_filled(kLargePage, 1), kLargePage);
    part = take_part_of_page(kLargePage);
    ASSERT_NE(part, nullptr);
  }
  std::fill_n(part, kLargePage, u8{2});
  EXPECT_TRUE(return_part_of_page(part, kLargePage));
  EXPECT_FALSE(return_part_of_page(part, kLargePage));
}

} // namespace
} // namespace culink
