// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/replace_section.h"

#include <gtest/gtest.h>

#include "broken_file.h"

namespace culink {
namespace {

constexpr std::string_view kLinked = "vector_math/sm_90/linked.cubin";

const elf::Section &note_of(const elf::ElfView &view) {
  return *view.find(".note.nv.tkinfo");
}

TEST(ReplaceSection, WhatFollowsMovesAndComesBack) {
  for (const std::string_view name : {test::kObject, kLinked}) {
    const std::vector<u8> original = test::BrokenFile(name).bytes();
    std::vector<u8> file = original;
    const Result<elf::ElfView> before = elf::ElfView::open(original);
    ASSERT_TRUE(before);
    const std::vector<u8> note(note_of(*before).data.begin(), note_of(*before).data.end());
    std::vector<u8> longer = note;
    longer.resize(note.size() + 100, 7);
    ASSERT_TRUE(elf::replace_section(file, note_of(*before).index, longer));
    EXPECT_NE(file.size(), original.size());
    const Result<elf::ElfView> after = elf::ElfView::open(file);
    ASSERT_TRUE(after);
    ASSERT_EQ(after->sections().size(), before->sections().size());
    for (size_t i = 1; i < after->sections().size(); ++i) {
      const elf::Section &section = after->sections()[i];
      if (section.index == note_of(*before).index)
        EXPECT_EQ(std::vector<u8>(section.data.begin(), section.data.end()), longer);
      else
        EXPECT_TRUE(std::equal(section.data.begin(), section.data.end(),
                               before->sections()[i].data.begin(),
                               before->sections()[i].data.end()))
            << section.name;
    }
    ASSERT_TRUE(elf::replace_section(file, note_of(*before).index, note));
    EXPECT_EQ(file, original) << name;
  }
}

TEST(ReplaceSection, SectionsOutsideTheFileAreNotMoved) {
  for (const u64 field : {u64{test::kShOffset}, u64{test::kShSize}, u64{test::kShAlign}}) {
    test::BrokenFile file(test::kObject);
    file.set<u64>(file.header_of(".note.nv.tkinfo") + field, ~u64{0} - 8);
    std::vector<u8> bytes = file.bytes();
    EXPECT_FALSE(elf::replace_section(bytes, file.index_of(".nv.info"), {})) << field;
    EXPECT_EQ(bytes, file.bytes());
  }
}

TEST(ReplaceSection, FilesOfAnotherLayoutStayAsTheyAre) {
  std::vector<u8> junk(200, 'x');
  EXPECT_FALSE(elf::replace_section(junk, 1, {}));
  EXPECT_EQ(junk, std::vector<u8>(200, 'x'));
  std::vector<u8> behind = test::BrokenFile(test::kObject).bytes();
  behind.push_back(0); // nothing comes behind the tables
  const std::vector<u8> same = behind;
  EXPECT_FALSE(elf::replace_section(behind, 1, {}));
  EXPECT_EQ(behind, same);
}

} // namespace
} // namespace culink
