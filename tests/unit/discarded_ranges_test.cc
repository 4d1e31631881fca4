// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/model/layout.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(DiscardedRanges, ContainTheBytesOfTheirSectionOnly) {
  DiscardedRanges ranges;
  ranges.add(3, 0x20, 0x28);
  ranges.add(2, 0x10, 0x14);
  ranges.sort();
  EXPECT_TRUE(ranges.contain(3, 0x20));
  EXPECT_TRUE(ranges.contain(3, 0x27));
  EXPECT_TRUE(ranges.contain(2, 0x10));
  for (const u64 offset : {0x0u, 0x1fu, 0x28u, 0xffffu})
    EXPECT_FALSE(ranges.contain(3, offset)) << offset;
  EXPECT_FALSE(ranges.contain(2, 0x20));
  EXPECT_FALSE(ranges.contain(1, 0x20));
  EXPECT_FALSE(ranges.contain(4, 0x20));
  for (u32 section = 0; section < 5; ++section)
    EXPECT_EQ(ranges.touch(section), section == 2 || section == 3) << section;
}

TEST(DiscardedRanges, MayOverlapAndComeInAnyOrder) {
  DiscardedRanges ranges;
  ranges.add(1, 0x30, 0x34);
  ranges.add(1, 0x00, 0x20); // contains the next two
  ranges.add(1, 0x08, 0x0c);
  ranges.add(1, 0x10, 0x14);
  ranges.add(1, 0x20, 0x24); // follows directly
  ranges.sort();
  for (u64 offset = 0; offset < 0x40; ++offset)
    EXPECT_EQ(ranges.contain(1, offset), offset < 0x24 || (offset >= 0x30 && offset < 0x34))
        << offset;
}

TEST(DiscardedRanges, OfSymbolsWithoutBytesContainNothing) {
  DiscardedRanges ranges;
  EXPECT_FALSE(ranges.touch(1));
  ranges.add(1, 8, 8);
  ranges.add(1, ~u64{0}, 7); // a size that wraps around
  ranges.sort();
  EXPECT_FALSE(ranges.touch(1));
  EXPECT_FALSE(ranges.contain(1, 8));
}

TEST(DiscardedRanges, MayGrowAndBeSortedAgain) {
  DiscardedRanges ranges;
  ranges.add(1, 8, 12);
  ranges.sort();
  ranges.add(1, 0, 4);
  ranges.sort();
  EXPECT_TRUE(ranges.contain(1, 0));
  EXPECT_FALSE(ranges.contain(1, 4));
  EXPECT_TRUE(ranges.contain(1, 8));
}

} // namespace
} // namespace culink
