// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/document/values.h"

#include <gtest/gtest.h>

#include "elf/names.h"
#include "elf/target/reloc.h"

namespace culink::text {
namespace {

void expect_round_trip(Words kind, std::initializer_list<u64> values) {
  for (const u64 value : values) {
    Complaints complaints;
    const std::string word = words_of(kind, value);
    EXPECT_EQ(read_words(kind, Node::scalar(word), complaints), value) << word;
    EXPECT_FALSE(complaints.any()) << word;
  }
}

void expect_table(Words kind, const auto &table) {
  for (const auto &row : table)
    expect_round_trip(kind, {row.number});
}

TEST(Words, every_named_number_leads_back) {
  expect_table(Words::SectionType, elf::kSectionTypeNames.rows());
  expect_table(Words::SymbolType, elf::kSymbolTypeNames.rows());
  expect_table(Words::SymbolBinding, elf::kSymbolBindingNames.rows());
  expect_table(Words::FileType, elf::kFileTypeNames.rows());
  expect_table(Words::SegmentType, elf::kSegmentTypeNames.rows());
  expect_table(Words::RelocationType, arch::cuda_relocs());
  expect_table(Words::RelocationType, arch::mercury_relocs());
}

TEST(Words, numbers_without_a_name_lead_back_too) {
  expect_round_trip(Words::SectionType, {0x7000ffff, 0xffffffff});
  expect_round_trip(Words::SymbolType, {7, 15});
  expect_round_trip(Words::SymbolBinding, {3, 15});
  expect_round_trip(Words::FileType, {77, 0xffff});
  expect_round_trip(Words::RelocationType, {200, 0xffffffff});
}

TEST(Words, flags_are_sums_of_words_and_a_rest) {
  expect_round_trip(Words::SectionFlags, {0, 1, 6, 0x43, 0x100006, 0x1000040, ~u64{0}});
  for (u32 other = 0; other < 256; ++other)
    expect_round_trip(Words::SymbolOther, {other});
  expect_round_trip(Words::SegmentFlags, {0, 4, 5, 6, 7, 8, 0xffffffff});
  EXPECT_EQ(words_of(Words::SectionFlags, 0x100006u), "alloc+exec+0x100000");
  EXPECT_EQ(words_of(Words::SymbolOther, 0x10u), "kernel");
  EXPECT_EQ(words_of(Words::SegmentFlags, 5u), "read+exec");
}

TEST(Words, either_case_is_taken) {
  Complaints complaints;
  EXPECT_EQ(read_words(Words::SymbolType, Node::scalar("func"), complaints), 2u);
  EXPECT_EQ(read_words(Words::FileType, Node::scalar("EXEC"), complaints), 2u);
  EXPECT_EQ(read_words(Words::RelocationType, Node::scalar("abs32_lo_32"), complaints), 0x38u);
  EXPECT_FALSE(complaints.any());
}

NameIndex sample() {
  NameIndex index("symbol");
  for (const char *name : {"", "f", "twice", "twice", "#1", "\xff", "#ii"})
    index.add(name);
  return index;
}

TEST(NameIndex, refers_by_name_only_where_that_is_clear) {
  const NameIndex index = sample();
  EXPECT_EQ(index.reference(1).text, "f");
  for (const u32 entry : {0u, 2u, 3u, 4u, 5u, 6u, 99u})
    EXPECT_EQ(index.reference(entry).text, "#" + std::to_string(entry));
}

TEST(NameIndex, every_reference_leads_back) {
  const NameIndex index = sample();
  Complaints complaints;
  for (u32 entry = 0; entry < 10; ++entry)
    EXPECT_EQ(index.resolve(index.reference(entry), complaints), entry);
  EXPECT_FALSE(complaints.any());
}

TEST(NameIndex, says_why_a_reference_fails) {
  const NameIndex index = sample();
  Complaints missing, several, list;
  (void)index.resolve(Node::scalar("g"), missing);
  EXPECT_EQ(missing.first().text(), "there is no symbol named 'g'");
  (void)index.resolve(Node::scalar("twice"), several);
  EXPECT_EQ(several.first().text(), "several symbols are named 'twice'; write #number");
  (void)index.resolve(Node::sequence(), list);
  EXPECT_EQ(list.first().text(), "the name of a symbol is needed here, or #number");
}

} // namespace
} // namespace culink::text
