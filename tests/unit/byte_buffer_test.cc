// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "culink/byte_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace culink {
namespace {

TEST(ByteBuffer, IsZeroAtFirstAtEverySize) {
  for (const u64 size : {u64{0}, u64{1}, u64{4096}, u64{5} << 20}) {
    const ByteBuffer buffer(size);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(buffer.empty(), size == 0);
    EXPECT_TRUE(std::all_of(buffer.begin(), buffer.end(), [](u8 byte) { return byte == 0; }));
  }
}

TEST(ByteBuffer, LeavesNothingBehindWhenMoved) {
  ByteBuffer from(3);
  from[1] = 7;
  ByteBuffer to = std::move(from);
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(to[1], 7);
  from = std::move(to);
  EXPECT_TRUE(to.empty());
  EXPECT_EQ(ByteSpan(from)[1], 7);
}

TEST(ByteBuffer, IsEqualToTheSameBytes) {
  ByteBuffer buffer(2);
  buffer[1] = 7;
  ByteBuffer other(2);
  EXPECT_NE(buffer, other);
  other[1] = 7;
  EXPECT_EQ(buffer, other);
  EXPECT_EQ(buffer, (std::vector<u8>{0, 7}));
  EXPECT_NE(buffer, (std::vector<u8>{0, 7, 0}));
}

} // namespace
} // namespace culink
