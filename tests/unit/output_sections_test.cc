// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/model/output_sections.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(OutputSections, SectionsOfInputsAreNeverTheTablesOfTheFile) {
  OutputSections sections;
  EXPECT_FALSE(sections.find(".strtab").valid());
  const auto [id, is_new] = sections.find_or_add(".strtab", {});
  EXPECT_TRUE(is_new);
  EXPECT_NE(id, elf::SectionTable::kStrtab);
  EXPECT_EQ(sections.find_or_add(".strtab", {}), std::pair(id, false));
  EXPECT_EQ(sections.find(".strtab"), id);
}

TEST(OutputSections, SectionsOfOneNameAreFoundByTheirTarget) {
  OutputSections sections;
  const OutId first_text = sections.add(".text.f", {});
  const OutId second_text = sections.add(".text.f", {});
  const OutId first = sections.add(".nv.info.f", {.info = first_text});
  const OutId second = sections.add(".nv.info.f", {.info = second_text});
  EXPECT_EQ(sections.find(".nv.info.f"), second);
  EXPECT_EQ(sections.find_for(".nv.info.f", first_text), first);
  EXPECT_EQ(sections.find_for(".nv.info.f", second_text), second);
  EXPECT_FALSE(sections.find_for(".nv.info.f", first).valid());
  EXPECT_EQ(sections[first].target(), first_text);
}

TEST(OutputSections, ContentsAreKeptAtTheirOffsets) {
  elf::SectionTable table;
  const elf::SectionId id = table.add(".debug_str", {});
  EXPECT_EQ(table.append(id, as_bytes("ab")), 0u);
  EXPECT_EQ(table.append(id, as_bytes("cd"), 4), 4u);
  EXPECT_EQ(table[id].size, 6u);
  ASSERT_EQ(table.pieces(id).size(), 2u);
  EXPECT_EQ(table.pieces(id)[1].offset, 4u);
  table.clear_content(id);
  EXPECT_TRUE(table.pieces(id).empty());
}

} // namespace
} // namespace culink
