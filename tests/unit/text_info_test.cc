// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/text_info.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

TEST(TextInfo, RegistersAreInTheTopByteUpToSm89) {
  EXPECT_EQ(decode_text_info(0x18000025, 80), (TextInfo{0x25, 0x18}));
  EXPECT_EQ(decode_text_info(0x18000025, 89), (TextInfo{0x25, 0x18}));
  EXPECT_EQ(decode_text_info(0x18000025, 90), (TextInfo{0x18000025, 0}));
  for (const u32 sm : {75u, 89u, 90u, 120u})
    EXPECT_EQ(encode_text_info(decode_text_info(0x18000025, sm), sm), 0x18000025u);
}

TEST(TextInfo, OldFilesCountBarriersInFlags) {
  EXPECT_EQ(text_barriers(0x100006), 1u);
  EXPECT_EQ(text_barriers(0x07f00006), 127u);
  EXPECT_EQ(text_barriers(0x6), 0u);
}

TEST(TextInfo, MemorySpaceIgnoresVisibilityAndManaged) {
  EXPECT_EQ(memory_space(0x23), MemorySpace::Global);
  EXPECT_EQ(memory_space(0x41), MemorySpace::Shared);
  EXPECT_EQ(memory_space(0x80), MemorySpace::Constant);
  EXPECT_EQ(memory_space(0xa0), MemorySpace::ReservedShared);
  EXPECT_EQ(memory_space(0x04), MemorySpace::None);
}

} // namespace
} // namespace culink::elf
