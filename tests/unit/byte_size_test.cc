// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/option_text.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(ByteSize, HasUnits) {
  EXPECT_EQ(parse_byte_size("1"), 1U);
  EXPECT_EQ(parse_byte_size("64k"), 65536U);
  EXPECT_EQ(parse_byte_size("64K"), 65536U);
  EXPECT_EQ(parse_byte_size("500M"), 500U << 20);
  EXPECT_EQ(parse_byte_size("5G"), u64{5} << 30);
  EXPECT_EQ(parse_byte_size("2T"), u64{2} << 40);
}

TEST(ByteSize, IsNothingElse) {
  for (const char *text : {"", "0", "G", "-1", "5X", "5GB", "5 G", "1.5G", "99999999999999999999",
                           "18014398509481984k", "much"})
    EXPECT_FALSE(parse_byte_size(text)) << text;
}

} // namespace
} // namespace culink
