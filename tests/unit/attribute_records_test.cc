// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/attribute_records.h"

#include <gtest/gtest.h>

#include "elf/records/nv_info.h"

namespace culink::elf {
namespace {

TEST(AttributeRange, ReadsWhatTheDecoderReads) {
  const std::vector<u8> bytes = {1, 0x04, 0,  0, 4, 0x2f, 8, 0,    1,   0,
                                 0, 0,    24, 0, 0, 0,    3, 0x1b, 255, 0};
  const InfoSection decoded = decode_info(bytes);
  ASSERT_TRUE(decoded.violations.empty());
  std::vector<InfoRecord> read;
  for (const InfoRecord record : InfoRecords(bytes))
    read.push_back(record);
  EXPECT_EQ(read, decoded.records);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].offset, 4u);
  EXPECT_EQ(read[1].payload.size(), 8u);
}

TEST(AttributeRange, EndsWhereTheFramingIsLost) {
  const std::vector<u8> bytes = {1, 0x04, 0, 0, 4, 0x2f, 200, 0, 1, 0};
  u32 count = 0;
  for ([[maybe_unused]] const InfoRecord record : InfoRecords(bytes))
    ++count;
  EXPECT_EQ(count, 1u);
  EXPECT_TRUE(InfoRecords().begin() == InfoRecords().end());
}

} // namespace
} // namespace culink::elf
