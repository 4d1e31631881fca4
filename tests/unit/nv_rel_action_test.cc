// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_rel_action.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

TEST(NvRelAction, ReadsWhatNvlinkWrites) {
  const Bytes bytes = {0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36};
  const RelocationActions actions = decode_relocation_actions(bytes);
  EXPECT_TRUE(actions.violations.empty());
  EXPECT_EQ(actions.first_type, 115u);
  ASSERT_EQ(actions.actions.size(), 1u);
  EXPECT_EQ(actions.actions[0].kind, RelocationValueKind::Address);
  EXPECT_EQ(actions.actions[0].fields[0], (RelocationField{0, 17, 37}));
  EXPECT_EQ(actions.actions[0].fields[1], (RelocationField{0, 5, 54}));
  EXPECT_EQ(encode_relocation_actions(actions), bytes);
}

TEST(NvRelAction, KeepsPartsOfRecords) {
  for (const u64 size : {0u, 5u, 8u, 13u, 16u, 23u}) {
    Bytes bytes(size, 0x5a);
    const RelocationActions actions = decode_relocation_actions(bytes);
    EXPECT_EQ(actions.has_header, size >= 8);
    EXPECT_EQ(actions.rest.size(), size % 8);
    EXPECT_EQ(encode_relocation_actions(actions), bytes) << size;
  }
  EXPECT_EQ(decode_relocation_actions(Bytes(8, 0x5a)).violations.at(0).message,
            "the second word is 0x5a5a5a5a, not 0");
  EXPECT_EQ(decode_relocation_actions(Bytes(9, 0)).violations.at(0).message,
            "1 trailing bytes, a record has 8");
}

} // namespace
} // namespace culink::elf
