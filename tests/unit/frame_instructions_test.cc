// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/nvlink/merged_debug.h"

#include <gtest/gtest.h>

namespace culink::nvlink {
namespace {

// An FDE with these instructions: length, CIE, address 0, 0x100 bytes of code.
std::vector<u8> fde_with(const std::vector<u8> &instructions) {
  std::vector<u8> out(36);
  std::fill_n(out.begin(), 4, 0xff);
  out[4] = static_cast<u8>(24 + instructions.size());
  out[29] = 1;
  out.insert(out.end(), instructions.begin(), instructions.end());
  return out;
}

TEST(FrameInstructions, AreKnownByTheirPlace) {
  const std::vector<u8> fde = fde_with({0x0c, 0x81, 0x80, 0x00, 0x00, // def_cfa
                                        0x04, 0x10, 0,    0,    0,    // advance 16
                                        0x08, 0x05,                   // same value
                                        0x44,                         // advance 4
                                        0x10, 0x01, 0x02, 0xaa, 0xbb, // expression
                                        0x00, 0x00});
  const auto read = read_frame_instructions(fde);
  ASSERT_TRUE(read);
  const FrameInstructions expected = {{0, {0x0c, 0x81, 0x80, 0x00, 0x00}},
                                      {16, {0x08, 0x05}},
                                      {20, {0x10, 0x01, 0x02, 0xaa, 0xbb}}};
  EXPECT_EQ(*read, expected);
}

TEST(FrameInstructions, EndWithAPlaceWithoutInstruction) {
  const auto read = read_frame_instructions(fde_with({0x08, 0x05, 0x02, 0x07}));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->at(7).empty());
}

TEST(FrameInstructions, AreWrittenWithPadding) {
  const std::vector<u8> fde = fde_with({});
  const std::vector<u8> out = with_frame_instructions(fde, {{0, {0x08, 0x05}}, {3, {}}});
  const std::vector<u8> expected = {0x08, 0x05, 0x04, 3, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(std::vector<u8>(out.begin() + 36, out.end()), expected);
  EXPECT_EQ(out[4], 36);
  EXPECT_EQ(out.size() % 8, 0u);
}

TEST(FrameInstructions, BrokenOnesAreNotRead) {
  EXPECT_FALSE(read_frame_instructions(fde_with({0x08, 0x85})));       // number without end
  EXPECT_FALSE(read_frame_instructions(fde_with({0x0f, 0x09, 0x01}))); // block too long
  EXPECT_FALSE(read_frame_instructions(fde_with({0x3f})));             // unknown
  EXPECT_FALSE(read_frame_instructions(std::vector<u8>(20)));          // no instructions
}

} // namespace
} // namespace culink::nvlink
