// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_unified.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

TEST(NvUnified, ReadsEntriesOfPtxas) {
  // A variable with .attribute(.unified(19, 95)) and one at offset 4.
  std::vector<u8> bytes = {
      0x19, 0,    0,    0,    1,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, //
      0x13, 0,    0,    0,    0,    0,    0,    0,    0x5f, 0, 0, 0, 0, 0, 0, 0, //
      0x1a, 0,    0,    0,    1,    0,    0,    0,    4,    0, 0, 0, 0, 0, 0, 0, //
      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,                            //
      0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99};
  const UnifiedSection section = decode_unified_entries(bytes);
  EXPECT_TRUE(section.violations.empty());
  EXPECT_EQ(section.records,
            (std::vector<UnifiedEntry>{{25, 1, 0, 19, 95},
                                       {26, 1, 4, 0x1122334455667788, 0x99aabbccddeeff00}}));
  EXPECT_EQ(encode_rows(section), bytes);

  bytes.resize(40);
  const UnifiedSection cut = decode_unified_entries(bytes);
  EXPECT_EQ(cut.violations.at(0).offset, 32u);
  EXPECT_EQ(cut.violations.at(0).message, "8 trailing bytes, an entry has 32");
  EXPECT_EQ(encode_rows(cut), bytes);
}

} // namespace
} // namespace culink::elf
