// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/document/words.h"

#include <gtest/gtest.h>

#include "elf/names.h"
#include "elf/target/reloc.h"

namespace culink::text {
namespace {

template <typename Value, typename Text, typename Read>
void expect_round_trip(std::initializer_list<u64> values, Text text, Read read) {
  for (const u64 value : values) {
    Complaints complaints;
    const std::string word = text(static_cast<Value>(value));
    EXPECT_EQ(static_cast<u64>(read(Node::scalar(word), complaints)), value) << word;
    EXPECT_FALSE(complaints.any()) << word;
  }
}

template <typename Value, typename Text, typename Read>
void expect_table(std::span<const elf::NamedNumber> table, Text text, Read read) {
  for (const elf::NamedNumber &row : table)
    expect_round_trip<Value>({row.number}, text, read);
}

TEST(Words, every_named_number_leads_back) {
  expect_table<elf::SectionType>(elf::kSectionTypeNames.rows(), section_type_text,
                                 read_section_type);
  expect_table<elf::SymbolType>(elf::kSymbolTypeNames.rows(), symbol_type_text, read_symbol_type);
  expect_table<elf::SymbolBinding>(elf::kSymbolBindingNames.rows(), symbol_binding_text,
                                   read_symbol_binding);
  expect_table<elf::FileType>(elf::kFileTypeNames.rows(), file_type_text, read_file_type);
  expect_table<elf::SegmentType>(elf::kSegmentTypeNames.rows(), segment_type_text,
                                 read_segment_type);
  for (const arch::RelocInfo &row : arch::cuda_relocs())
    expect_round_trip<u32>({row.number}, relocation_type_text, read_relocation_type);
  for (const arch::RelocInfo &row : arch::mercury_relocs())
    expect_round_trip<u32>({row.number}, relocation_type_text, read_relocation_type);
}

TEST(Words, numbers_without_a_name_lead_back_too) {
  expect_round_trip<elf::SectionType>({0x7000ffff, 0xffffffff}, section_type_text,
                                      read_section_type);
  expect_round_trip<elf::SymbolType>({7, 15}, symbol_type_text, read_symbol_type);
  expect_round_trip<elf::SymbolBinding>({3, 15}, symbol_binding_text, read_symbol_binding);
  expect_round_trip<elf::FileType>({77, 0xffff}, file_type_text, read_file_type);
  expect_round_trip<u32>({200, 0xffffffff}, relocation_type_text, read_relocation_type);
}

TEST(Words, flags_are_sums_of_words_and_a_rest) {
  expect_round_trip<u64>({0, 1, 6, 0x43, 0x100006, 0x1000040, ~u64{0}}, section_flags_text,
                         read_section_flags);
  for (u32 other = 0; other < 256; ++other)
    expect_round_trip<u8>({other}, symbol_other_text, read_symbol_other);
  expect_round_trip<u32>({0, 4, 5, 6, 7, 8, 0xffffffff}, segment_flags_text, read_segment_flags);
  EXPECT_EQ(section_flags_text(0x100006), "alloc+exec+0x100000");
  EXPECT_EQ(symbol_other_text(0x10), "kernel");
  EXPECT_EQ(segment_flags_text(5), "read+exec");
}

TEST(Words, either_case_is_taken) {
  Complaints complaints;
  EXPECT_EQ(read_symbol_type(Node::scalar("func"), complaints), elf::SymbolType::Function);
  EXPECT_EQ(read_file_type(Node::scalar("EXEC"), complaints), elf::FileType::Executable);
  EXPECT_EQ(read_relocation_type(Node::scalar("abs32_lo_32"), complaints), 0x38u);
  EXPECT_FALSE(complaints.any());
}

} // namespace
} // namespace culink::text
