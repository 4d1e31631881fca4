// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/instructions.h"

#include <array>
#include <gtest/gtest.h>

#include "elf/target/arch.h"

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

// IADD3 R13, P0, PT, RZ, -R10, RZ and IADD3.X R3, PT, PT, RZ, ~R3, RZ, P0, PT of ptxas 12.9, and
// what nvlink 13.4 makes of them.
TEST(Instructions, SumsWithOneCarryAreTheSame) {
  constexpr std::array<u8, 16> out_of_three = {0x10, 0x72, 0x0d, 0xff, 0x0a, 0,    0,    0x80,
                                               0xff, 0xe0, 0xf1, 0x07, 0,    0xe2, 0x0f, 0};
  constexpr std::array<u8, 16> out_of_two = {0x35, 0x72, 0x0d, 0xff, 0x0a, 0,    0,    0x80,
                                             0,    0,    0x80, 0x07, 0,    0xe2, 0x0f, 0};
  constexpr std::array<u8, 16> into_three = {0x10, 0x72, 0x03, 0xff, 0x03, 0,    0,    0x80,
                                             0xff, 0xe4, 0x7f, 0,    0,    0xca, 0x0f, 0};
  constexpr std::array<u8, 16> into_two = {0x35, 0x72, 0x03, 0xff, 0x03, 0,    0,    0x80,
                                           0,    0x04, 0x0e, 0,    0,    0xca, 0x0f, 0};
  EXPECT_TRUE(is_other_spelling(out_of_three, out_of_two));
  EXPECT_TRUE(is_other_spelling(into_three, into_two));
  EXPECT_FALSE(is_other_spelling(out_of_three, into_two));
  for (const u8 bit : {0x01, 0x02, 0x10, 0x80}) { // a second carry, another first one
    std::array<u8, 16> other = out_of_three;
    other[10] ^= bit;
    EXPECT_FALSE(is_other_spelling(other, out_of_two)) << int{bit};
  }
}

// VIADD R2, R2, UR4 for sm_100, and what nvlink 13.4 makes of it for sm_107.
TEST(Instructions, SumsOfWordsAreTheSame) {
  constexpr std::array<u8, 16> sum = {0x36, 0x7c, 0x02, 0x02, 0x04, 0,    0,    0,
                                      0,    0,    0,    0x08, 0,    0xca, 0x0f, 0};
  std::array<u8, 16> of_words = sum;
  of_words[9] = 0x04;
  EXPECT_TRUE(is_other_spelling(sum, of_words));
  EXPECT_TRUE(is_same_instruction(sum, of_words));
  of_words[9] = 0x08;
  EXPECT_FALSE(is_other_spelling(sum, of_words));
}

TEST(Instructions, SomeDoNothing) {
  constexpr std::array<u8, 16> never = {0x90, 0xf2, 0xff, 0xff, 0xff};  // @!UPT UIADD3 URZ, ...
  constexpr std::array<u8, 16> to_itself = {0x82, 0x7c, 0x04, 0, 0x04}; // UMOV UR4, UR4
  constexpr std::array<u8, 16> to_another = {0x82, 0x7c, 0x05, 0, 0x04};
  EXPECT_TRUE(does_nothing(kNop));
  EXPECT_TRUE(does_nothing(never));
  EXPECT_TRUE(does_nothing(to_itself));
  EXPECT_FALSE(does_nothing(to_another));
  EXPECT_FALSE(does_nothing(kSumOfTwo));
  EXPECT_FALSE(does_nothing(ByteSpan(kNop).first(15)));
}

TEST(Instructions, BarriersAreTold) {
  std::array<u8, 16> barrier = instruction(0x7992);
  EXPECT_EQ(barrier_of(barrier), Barrier::Memory);
  barrier[9] = 0x50;
  EXPECT_EQ(barrier_of(barrier), Barrier::EndOfKernel);
  EXPECT_EQ(barrier_of(instruction(0x79ab)), Barrier::ReportErrors);
  EXPECT_EQ(barrier_of(instruction(0x75ab)), Barrier::ReportErrors);
  EXPECT_EQ(barrier_of(kNop), Barrier::None);
  EXPECT_EQ(barrier_of({}), Barrier::None);
}

TEST(Instructions, ReturnAddressesAreConstantsOfMoves) {
  const std::array<u8, 16> move = {0x02, 0x78, 0, 0, 0xe0, 0, 0, 0, 0, 0x0f};
  EXPECT_EQ(moved_constant(move), 0xe0U);
  EXPECT_EQ(moved_constant(kNop), std::nullopt);
  EXPECT_EQ(moved_constant(ByteSpan(move).first(15)), std::nullopt);
  EXPECT_TRUE(is_local_call(instruction(0x7944)));
  EXPECT_TRUE(is_local_call(instruction(0x7344)));
  EXPECT_FALSE(is_local_call(instruction(0x7943))); // CALL.ABS
  EXPECT_FALSE(is_local_call({}));
}

TEST(Instructions, BranchesHaveDistances) {
  // BRA to itself, @!P0 BRA 0x370 forward, BSSY 0x470 forward.
  constexpr std::array<u8, 16> self = {0x47, 0x79, 0xfc, 0,    0xfc, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 0x83, 0x03, 0,    0xc0, 0x0f, 0};
  constexpr std::array<u8, 16> forward = {0x47, 0x19, 0xdc, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x03};
  constexpr std::array<u8, 16> region = {0x45, 0x79, 0, 0, 0x70, 0x04, 0, 0, 0, 0x02, 0x80, 0x03};
  EXPECT_EQ(branch_distance(self), -16);
  EXPECT_EQ(branch_distance(forward), 0x370);
  EXPECT_EQ(branch_distance(region), 0x470);
  // BRX and RET.REL count from the begin of the function.
  constexpr std::array<u8, 16> computed = {0x49, 0x79, 0x1c, 0x04, 0xf8, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0x83, 0x03, 0,    0xea, 0x0f, 0};
  EXPECT_EQ(branch_distance(computed), -0x790);
  EXPECT_EQ(branch_distance(kNop), std::nullopt);
  EXPECT_EQ(branch_distance(ByteSpan(self).first(15)), std::nullopt);
  for (const i64 distance : {i64{-16}, i64{0}, i64{0x370}, i64{0x12340}, i64{-0x12340}}) {
    std::array<u8, 16> branch = forward;
    set_branch_distance(branch, distance);
    EXPECT_EQ(branch_distance(branch), distance);
    set_branch_distance(branch, 0x370);
    EXPECT_EQ(branch, forward) << "all other bits stay";
  }
}

} // namespace
} // namespace culink::arch
