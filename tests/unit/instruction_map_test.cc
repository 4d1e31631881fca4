// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/model/instruction_map.h"

#include <gtest/gtest.h>

#include "elf/records/nv_capmerc.h"
#include "support/bytes.h"

namespace culink {
namespace {

// One instruction per letter; the letter is its opcode.
std::vector<u8> code(std::string_view letters) {
  std::vector<u8> out;
  for (const char letter : letters) {
    out.resize(out.size() + 16);
    out[out.size() - 16] = static_cast<u8>(letter);
  }
  return out;
}

// A capsule of `count` instructions whose last has a record; `before_last`: machine instructions
// without a counterpart before it, odd.
std::vector<u8> capsule(u32 count, u8 before_last = 0) {
  std::vector<u8> out;
  elf::append_le(out, u32{7});
  elf::append_le(out, elf::kCapsuleMagic);
  elf::append_le(out, count);
  elf::append_le(out, (u32{1} << (count - 1)) - 1);
  if (before_last != 0)
    out.insert(out.end(), {0x51, static_cast<u8>((before_last + 1) / 2)});
  out.insert(out.end(), {0x50, 0});
  return out;
}

InstructionMap map_of(const std::vector<u8> &text, const std::vector<u8> &text_capsule,
                      const std::vector<u8> &new_text, const std::vector<u8> &new_capsule) {
  const Result<InstructionMap> map =
      map_instructions({text, text_capsule}, {new_text, new_capsule});
  EXPECT_TRUE(map.ok());
  return map.ok() ? *map : InstructionMap();
}

TEST(InstructionMap, NothingMovesInAnEmptyMap) {
  EXPECT_TRUE(InstructionMap().is_identity());
  EXPECT_EQ(InstructionMap().offset(0x123), 0x123u);
}

TEST(InstructionMap, FieldsMoveWithTheirInstruction) {
  const InstructionMap map({0, 1, 1, 2}); // the second of three is gone
  EXPECT_EQ(map.offset(0x8), 0x8u);
  EXPECT_EQ(map.offset(0x24), 0x14u);
  EXPECT_EQ(map.offset(0x30), 0x20u);
  EXPECT_EQ(map.offset(0x1000), 0x1000u);
}

TEST(InstructionMap, CodeOfTheSameShapeStays) {
  EXPECT_TRUE(map_of(code("abcd"), capsule(4), code("abcd"), capsule(4)).is_identity());
  EXPECT_TRUE(map_of(code("abcd"), {}, code("abcd"), {}).is_identity());
}

TEST(InstructionMap, CapsulesTellWhereInstructionsWent) {
  // Opcodes say nothing here: all are equal.
  const InstructionMap map = map_of(code("aaaa"), capsule(4), code("aaaaaaa"), capsule(4, 3));
  EXPECT_EQ(map.offset(0x20), 0x20u);
  EXPECT_EQ(map.offset(0x30), 0x60u);
  EXPECT_EQ(map.offset(0x40), 0x70u);
}

TEST(InstructionMap, RemovedInstructionsMapToWhatFollows) {
  const InstructionMap map = map_of(code("abcxd"), capsule(4, 1), code("abcd"), capsule(4));
  EXPECT_EQ(map.offset(0x20), 0x20u);
  EXPECT_EQ(map.offset(0x30), 0x30u); // the one that is gone
  EXPECT_EQ(map.offset(0x40), 0x30u);
}

TEST(InstructionMap, OtherMercuryCodeIsComparedLikeText) {
  const InstructionMap map = map_of(code("abcdef"), capsule(6), code("abXYZdef"), capsule(8));
  EXPECT_EQ(map.offset(0x10), 0x10u);
  EXPECT_EQ(map.offset(0x24), 0x54u); // c is gone: d stands for it
  EXPECT_EQ(map.offset(0x30), 0x50u);
  EXPECT_EQ(map.offset(0x60), 0x80u);
}

TEST(InstructionMap, TheLongestRunIsAlignedFirst) {
  const InstructionMap map = map_of(code("abcde"), {}, code("abxbcde"), {});
  EXPECT_EQ(map.offset(0x10), 0x30u);
  EXPECT_EQ(map.offset(0x00), 0x00u);
}

TEST(InstructionMap, DamagedCapsulesAreNotFollowed) {
  std::vector<u8> greedy = capsule(4, 3); // more code than there is
  const InstructionMap map = map_of(code("abcd"), greedy, code("abXcd"), capsule(4, 1));
  EXPECT_EQ(map.offset(0x20), 0x30u);
}

TEST(InstructionMap, RepetitiveCodeIsGivenUpInTime) {
  const std::vector<u8> before = code(std::string(20000, 'a'));
  const std::vector<u8> after = code(std::string(20001, 'a'));
  EXPECT_FALSE(map_instructions({before, {}}, {after, {}}).ok());
}

// Two instructions were inserted before the third one, the fourth is gone.
TEST(InstructionMap, LeadsJumpsToWhatWasInsertedBeforeTheirTarget) {
  const InstructionMap map({0, 1, 4, 5, 5, 6});
  EXPECT_EQ(map.offset(0x20), 0x40u);
  EXPECT_EQ(map.label(0x20), 0x20u);
  EXPECT_EQ(map.label(0x10), 0x10u);
  EXPECT_EQ(map.label(0), 0u);
  EXPECT_EQ(map.label(0x30), 0x50u); // gone: what follows
  EXPECT_EQ(map.label(0x40), 0x50u);
  EXPECT_EQ(map.label(0x50), 0x60u); // the end
  EXPECT_EQ(map.label(0x18), 0x18u); // inside an instruction, not a label
}

} // namespace
} // namespace culink
