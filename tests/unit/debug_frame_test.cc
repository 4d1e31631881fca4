// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/debug_frame.h"

#include <gtest/gtest.h>

#include "elf/codec.h"

namespace culink::elf {
namespace {

constexpr u64 kCieMark = ~u64{0};

// A record with this CIE pointer and so many bytes behind it.
void append_frame_record(std::vector<u8> &section, u64 cie, u64 more) {
  append_le(section, u32{0xffffffff});
  append_le(section, sizeof(u64) + more);
  append_le(section, cie);
  section.resize(section.size() + more);
}

TEST(DebugFrame, SectionsAreCutIntoRecords) {
  std::vector<u8> section;
  append_frame_record(section, kCieMark, 12);
  append_frame_record(section, 0, 20);
  const auto records = split_frames(section);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 2u);
  EXPECT_TRUE((*records)[0].is_cie);
  EXPECT_FALSE((*records)[1].is_cie);
  EXPECT_EQ((*records)[1].offset, 32u);
  EXPECT_EQ((*records)[1].bytes.size(), 40u);
}

TEST(DebugFrame, AnEmptySectionHasNoRecords) {
  EXPECT_EQ(split_frames({})->size(), 0u);
}

TEST(DebugFrame, DamagedSectionsAreRefused) {
  std::vector<u8> section;
  append_frame_record(section, 0, 20);
  EXPECT_FALSE(split_frames(ByteSpan(section).first(39))); // cut
  section[0] = 0;                                          // a length of 32 bits
  EXPECT_FALSE(split_frames(section));
  std::vector<u8> short_fde;
  append_frame_record(short_fde, 0, 4); // without room for an address
  EXPECT_FALSE(split_frames(short_fde));
}

} // namespace
} // namespace culink::elf
