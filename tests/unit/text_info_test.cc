// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/text_info.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

TEST(TextInfo, OldFilesCountBarriersInFlags) {
  EXPECT_EQ(text_barriers(0x100006), 1u);
  EXPECT_EQ(text_barriers(0x07f00006), 127u);
  EXPECT_EQ(text_barriers(0x6), 0u);
}

TEST(TextInfo, RegistersAreAboveTheSymbol) {
  EXPECT_EQ(text_registers(0x62000715), 98u);
  EXPECT_EQ(text_registers(24), 0u);
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
