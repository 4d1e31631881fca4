// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/instructions.h"

#include <array>
#include <gtest/gtest.h>

#include "arch/arch.h"

namespace culink::arch {
namespace {

std::array<u8, 16> instruction(u16 bits) {
  return {static_cast<u8>(bits), static_cast<u8>(bits >> 8)};
}

TEST(Instructions, EveryRowIsFoundByItsOpcode) {
  for (const InstructionInfo &row : known_instructions()) {
    SCOPED_TRACE(std::string(row.name));
    EXPECT_EQ(row.opcode & ~row.mask, 0);
    EXPECT_EQ(find_instruction(instruction(row.opcode)), &row);
    EXPECT_TRUE(row.limits_fastpath || row.loads_from_bank_0 || row.starts_dependents)
        << "a row of no use";
  }
}

TEST(Instructions, PredicatesAndFormsDoNotHideTheOperation) {
  EXPECT_EQ(find_instruction(instruction(0x7e28))->name, "DMUL");
  EXPECT_EQ(find_instruction(instruction(0x7b82))->name, "LDC");
  EXPECT_EQ(find_instruction(instruction(0x0182)), nullptr); // another form than LDC's
}

TEST(Instructions, OtherCodeIsNotKnown) {
  EXPECT_EQ(find_instruction(kNop), nullptr);
  EXPECT_EQ(find_instruction(ByteSpan(kNop).first(15)), nullptr);
  EXPECT_EQ(find_instruction({}), nullptr);
}

// As ptxas 12.9 has it, and as nvlink 13.0 finalizes it.
constexpr std::array<u8, 16> kHighShift = {0x19, 0x78, 0x0d, 0xff, 0x10, 0,    0,    0,
                                           0x0d, 0x16, 0x01, 0,    0,    0xc8, 0x1f, 0};
constexpr std::array<u8, 16> kLowShift = {0x19, 0x78, 0x0d, 0x0d, 0x10, 0,    0,    0,
                                          0xff, 0x16, 0,    0,    0,    0xc8, 0x4f, 0};

TEST(Instructions, ShiftsOfEitherWordAreTheSame) {
  EXPECT_TRUE(is_other_spelling(kHighShift, kLowShift));
  EXPECT_TRUE(is_other_spelling(kLowShift, kHighShift));
  EXPECT_FALSE(is_other_spelling(ByteSpan(kHighShift).first(15), kLowShift));
}

TEST(Instructions, OtherShiftsDiffer) {
  for (const size_t byte : {0, 1, 2, 3, 4, 8, 9, 10, 12}) { // all but the schedule
    std::array<u8, 16> other = kLowShift;
    other[byte] ^= 2;
    EXPECT_FALSE(is_other_spelling(kHighShift, other)) << byte;
  }
  std::array<u8, 16> left = kHighShift; // of two words: not the same as without the first one
  left[3] = 0x0c;
  EXPECT_FALSE(is_other_spelling(left, kLowShift));
  EXPECT_FALSE(is_other_spelling(kNop, kNop)); // no shift at all
}

// As ptxas 13.0 has it for sm_120, and as nvlink 13.1 finalizes it.
constexpr std::array<u8, 16> kSumOfThree = {0x10, 0x78, 0x01, 0x01, 0xe0, 0xff, 0xff, 0xff,
                                            0xff, 0xe0, 0xff, 0x07, 0,    0xca, 0x0f, 0};
constexpr std::array<u8, 16> kSumOfTwo = {0x35, 0x78, 0x01, 0x01, 0xe0, 0xff, 0xff, 0xff,
                                          0,    0,    0x8e, 0x07, 0,    0xe2, 0x1f, 0};

TEST(Instructions, SumsOfTwoValuesAreTheSame) {
  EXPECT_TRUE(is_other_spelling(kSumOfThree, kSumOfTwo));
  EXPECT_TRUE(is_other_spelling(kSumOfTwo, kSumOfThree));
}

TEST(Instructions, OtherSumsDiffer) {
  for (const size_t byte : {0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12}) { // all but the schedule
    std::array<u8, 16> other = kSumOfThree;
    other[byte] ^= 2;
    EXPECT_FALSE(is_other_spelling(other, kSumOfTwo)) << byte;
    other = kSumOfTwo;
    other[byte] ^= 2;
    EXPECT_FALSE(is_other_spelling(kSumOfThree, other)) << byte;
  }
  std::array<u8, 16> negative = kSumOfThree; // the sign of the first value
  negative[9] ^= 1;
  EXPECT_FALSE(is_other_spelling(negative, kSumOfTwo));
}

} // namespace
} // namespace culink::arch
