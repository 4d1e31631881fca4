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

} // namespace
} // namespace culink::elf
