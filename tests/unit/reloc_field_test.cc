// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/reloc.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "reloc_rows.h"
#include "support/bytes.h"

namespace culink::arch {
namespace {

using test::all_rows;

// The bits of a value that a row's field can hold.
FieldValue masked(const RelocInfo &row, FieldValue value) {
  u64 kept = 0;
  u64 bank = 0;
  for (const RelocPiece &piece : row.pieces)
    for (u32 bit = piece.value_bit; bit < u32{piece.value_bit} + piece.width; ++bit)
      (piece.source == PieceSource::Bank ? bank : kept) |= u64{1} << bit;
  return {value.value & kept, static_cast<u8>(value.bank & bank)};
}

constexpr u64 kPattern = 0x9e3779b97f4a7c15;

TEST(RelocField, EveryRowReadsBackWhatItStored) {
  for (const RelocInfo *row : all_rows())
    for (const u8 background : {0x00, 0xff, 0x5a})
      for (const u64 offset : {0, 3, 16}) {
        SCOPED_TRACE(std::string(row->name));
        std::vector<u8> section(40, background);
        const FieldValue value{kPattern, 0x15};
        ASSERT_TRUE(store_field(section, offset, *row, value));
        const auto found = read_field(section, offset, *row);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(*found, masked(*row, value));
      }
}

TEST(RelocField, EveryRowTouchesItsBitsAndNoOther) {
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    std::vector<u8> ones(40, 0x00);
    ASSERT_TRUE(store_field(ones, 8, *row, {~u64{0}, 0x1f}));
    std::vector<u8> zeros(40, 0xff);
    ASSERT_TRUE(store_field(zeros, 8, *row, {0, 0}));
    std::vector<u8> expected(40, 0x00);
    for (const RelocPiece &piece : row->pieces)
      for (u32 bit = piece.word_bit; bit < u32{piece.word_bit} + piece.width; ++bit)
        expected[8 + bit / 8] |= static_cast<u8>(1u << bit % 8);
    EXPECT_EQ(ones, expected);
    for (u8 &byte : zeros)
      byte = static_cast<u8>(~byte);
    EXPECT_EQ(zeros, expected);
  }
}

TEST(RelocField, EveryRowRefusesAPlaceThatEndsOutside) {
  for (const RelocInfo *row : all_rows()) {
    SCOPED_TRACE(std::string(row->name));
    const u64 bytes = (row->word_bits() + 7) / 8;
    std::vector<u8> section(32, 0x77);
    EXPECT_TRUE(field_inside(section, 32 - bytes, *row));
    EXPECT_TRUE(store_field(section, 32 - bytes, *row, {0, 0}));
    const std::vector<u8> before(32, 0x77);
    for (const u64 offset : {33 - bytes, u64{33}, ~u64{0} - 3}) {
      section = before;
      EXPECT_FALSE(store_field(section, offset, *row, {kPattern, 3}));
      EXPECT_FALSE(read_field(section, offset, *row).has_value());
      EXPECT_FALSE(implicit_addend(section, offset, *row).has_value());
      EXPECT_EQ(section, before);
    }
  }
}

TEST(RelocField, ConstantOperandTakesOffsetAndBank) {
  std::vector<u8> instruction(16, 0);
  ASSERT_TRUE(store_field(instruction, 0, *find_reloc("CONST_FIELD21_38"), {0x1234, 3}));
  EXPECT_EQ(load_le<u64>(instruction.data()), u64{0x1234} << 38 | u64{3} << 54);
  ASSERT_TRUE(store_field(instruction, 0, *find_reloc("CONST_FIELD19_40"), {0x1234, 2}));
  EXPECT_EQ(load_le<u64>(instruction.data()) >> 40, u64{0x1234} >> 2 | u64{2} << 14);
}

TEST(RelocField, CallTargetCrossesTheSecondWord) {
  std::vector<u8> instruction(16, 0);
  const u64 target = 0x00fffffffffffc04; // both pieces in use
  ASSERT_TRUE(store_field(instruction, 0, *find_reloc("ABS55_16_34"), {target}));
  EXPECT_EQ(load_le<u64>(instruction.data()) >> 16 & 0xff, target >> 2 & 0xff);
  EXPECT_EQ(load_le<u64>(instruction.data()) >> 34, (target >> 10) & ((u64{1} << 30) - 1));
  EXPECT_EQ(load_le<u64>(instruction.data() + 8), target >> 40);
}

// Measured with nvlink: S = 0x10 and an old byte of 0xff give 0x0f under 8_0 and 1 under 8_8.
TEST(RelocField, ImplicitAddendOfAByteIsNotShifted) {
  for (const auto &[name, expected] : {std::pair{"8_0", 0x0f}, std::pair{"8_8", 0x01}}) {
    std::vector<u8> byte = {0xff};
    const RelocInfo &row = *find_reloc(name);
    const auto addend = implicit_addend(byte, 0, row);
    ASSERT_TRUE(addend.has_value());
    ASSERT_TRUE(store_field(byte, 0, row, add(row, {0x10}, *addend)));
    EXPECT_EQ(byte[0], expected) << name;
  }
}

TEST(RelocField, ImplicitAddendCountsInTheFieldsUnits) {
  std::vector<u8> word(8, 0);
  const RelocInfo &row = *find_reloc("CONST_FIELD19_40");
  ASSERT_TRUE(store_field(word, 0, row, {0x40, 30}));
  const auto addend = implicit_addend(word, 0, row);
  ASSERT_TRUE(addend.has_value());
  EXPECT_EQ(*addend, (FieldValue{0x40, 30}));
  EXPECT_EQ(add(row, {0x10, 3}, *addend), (FieldValue{0x50, 1})); // banks wrap at 32
  const RelocInfo &high = *find_reloc("ABS32_HI_32");
  ASSERT_TRUE(store_field(word, 0, high, {0x0000000700000000}));
  EXPECT_EQ(implicit_addend(word, 0, high)->value, 0x0000000700000000u);
}

TEST(RelocField, LostBitsAreTold) {
  EXPECT_TRUE(field_holds(*find_reloc("ABS16_32"), {0xffff}));
  EXPECT_FALSE(field_holds(*find_reloc("ABS16_32"), {0x10000}));
  EXPECT_FALSE(field_holds(*find_reloc("CONST_FIELD19_40"), {0x2}));
  EXPECT_FALSE(field_holds(*find_reloc("CONST_FIELD19_40"), {0x4, 32}));
  EXPECT_TRUE(field_holds(*find_reloc("64"), {~u64{0}}));
  for (const RelocInfo *row : all_rows())
    EXPECT_TRUE(field_holds(*row, masked(*row, {kPattern, 0x15}))) << row->name;
}

// The range of a row is that of its field: all bits of the largest and the smallest value come
// back, and the next ones lose some.
TEST(RelocField, EveryWholeFieldHasTheRangeOfItsBits) {
  u32 rows = 0;
  for (const RelocInfo *row : all_rows()) {
    if (row->range_bits == 0)
      continue;
    ++rows;
    const u64 end = row->range_end(), step = u64{1} << row->step_bits;
    const auto survives = [row](u64 value) {
      std::vector<u8> word(16, 0);
      EXPECT_TRUE(store_field(word, 0, *row, {value}));
      u64 stored = read_field(word, 0, *row)->value;
      if (static_cast<i64>(value) < 0)
        stored |= ~u64{0} << row->range_bits;
      return stored == value;
    };
    for (const u64 value : {end - step, 0 - end / 2, u64{0}}) {
      EXPECT_TRUE(row->can_store(value)) << row->name;
      EXPECT_TRUE(survives(value)) << row->name;
    }
    for (const u64 value : {end, 0 - end / 2 - step})
      EXPECT_FALSE(row->can_store(value)) << row->name;
    EXPECT_FALSE(survives(end)) << row->name;
    if (step != 1) {
      EXPECT_FALSE(row->can_store(step / 2)) << row->name;
      EXPECT_FALSE(survives(step / 2)) << row->name;
    }
  }
  EXPECT_GT(rows, 40u);
}

TEST(RelocField, PartsOfAnAddressHoldAnyAddress) {
  for (const std::string_view name : {"ABS32_LO_32", "ABS32_HI_32", "32_LO", "32_HI", "8_0", "8_56",
                                      "UNIFIED_8_8", "64", "R_MERCURY_ABS32_LO", "R_MERCURY_8_8"}) {
    ASSERT_NE(find_reloc(name), nullptr) << name;
    EXPECT_TRUE(find_reloc(name)->can_store(~u64{0} / 3)) << name;
  }
}

} // namespace
} // namespace culink::arch
