// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/archive.h"

#include <gtest/gtest.h>

#include "host_file.h"

namespace culink {
namespace {

using test::add_member;
using test::Bytes;
using test::bytes_of;

std::vector<std::string> names(const Bytes &file) {
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  EXPECT_TRUE(members) << (members ? "" : members.error().text());
  std::vector<std::string> out;
  if (members)
    for (const ArchiveMember &member : *members)
      out.push_back(member.name);
  return out;
}

TEST(Archive, members_come_in_order_with_their_bytes) {
  const Bytes file = test::archive_of({{"b.o", bytes_of("odd")}, {"a.o", bytes_of("even")}});
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 2u);
  EXPECT_EQ((*members)[0].name, "b.o");
  EXPECT_EQ(as_text((*members)[0].data), "odd");
  EXPECT_EQ((*members)[1].name, "a.o");
  EXPECT_EQ(as_text((*members)[1].data), "even");
}

TEST(Archive, may_be_empty) {
  EXPECT_TRUE(names(bytes_of("!<arch>\n")).empty());
  EXPECT_TRUE(names(bytes_of("!<thin>\n")).empty());
}

TEST(Archive, the_last_member_needs_no_padding) {
  Bytes file = test::archive_of({{"a.o", bytes_of("odd")}});
  file.pop_back();
  EXPECT_EQ(names(file), std::vector<std::string>{"a.o"});
}

TEST(Archive, indexes_and_name_tables_are_no_members) {
  Bytes file = bytes_of("!<arch>\n");
  add_member(file, "/", bytes_of("index"));
  add_member(file, "/SYM64/", bytes_of("index"));
  add_member(file, "__.SYMDEF", bytes_of("index"));
  add_member(file, "//", bytes_of("unused/\n"));
  add_member(file, "a.o/", bytes_of("x"));
  EXPECT_EQ(names(file), std::vector<std::string>{"a.o"});
}

// What a mutant looked like that was left out without a word.
TEST(Archive, an_object_in_the_place_of_an_index_is_refused) {
  Bytes file = bytes_of("!<arch>\n");
  add_member(file, "/",
             bytes_of("\x7f"
                      "ELF and more"));
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  ASSERT_FALSE(members);
  EXPECT_EQ(members.error().field, "name");
  EXPECT_TRUE(read_archive(file, ArchiveDamage::Drop));
}

TEST(Archive, long_names_of_gnu_and_bsd) {
  Bytes file = bytes_of("!<arch>\n");
  add_member(file, "//", bytes_of("a_rather_long_name.o/\nfolder/another_one.o/\n"));
  add_member(file, "/0", bytes_of("x"));
  add_member(file, "/22", bytes_of("y"));
  add_member(file, "#1/20", bytes_of(std::string_view("bsd_has_long_ones.o\0z", 21)));
  add_member(file, "bsd.o", bytes_of("w"));
  EXPECT_EQ(names(file), (std::vector<std::string>{"a_rather_long_name.o", "folder/another_one.o",
                                                   "bsd_has_long_ones.o", "bsd.o"}));
}

TEST(Archive, bsd_names_are_not_part_of_the_data) {
  Bytes file = bytes_of("!<arch>\n");
  Bytes data = bytes_of("name.o");
  data.resize(8);
  test::put(data, std::string_view("payload"));
  add_member(file, "#1/8", data);
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  ASSERT_TRUE(members);
  EXPECT_EQ((*members)[0].name, "name.o");
  EXPECT_EQ(as_text((*members)[0].data), "payload");
}

TEST(Archive, gnu_ar_may_leave_a_slash_in_the_last_column) {
  Bytes file = bytes_of("!<arch>\n");
  add_member(file, "//", bytes_of("samplers_0.18.o/\n"));
  add_member(file, "/0             /", bytes_of("x"));
  EXPECT_EQ(names(file), std::vector<std::string>{"samplers_0.18.o"});
}

TEST(Archive, a_table_of_names_that_swallows_members_is_refused) {
  Bytes file = bytes_of("!<arch>\n");
  add_member(file, "//", bytes_of(std::string_view("a.o/\n\0x", 7)));
  EXPECT_FALSE(read_archive(file));
  EXPECT_TRUE(read_archive(file, ArchiveDamage::Drop));
}

TEST(Archive, thin_ones_name_files) {
  Bytes file = bytes_of("!<thin>\n");
  add_member(file, "//", bytes_of("sub/a.o/\nb.o/\n"));
  const Bytes first = test::member_header("/0", 1000), second = test::member_header("/9", 7);
  file.insert(file.end(), first.begin(), first.end());
  file.insert(file.end(), second.begin(), second.end());
  const Result<std::vector<ArchiveMember>> members = read_archive(file);
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 2u);
  EXPECT_EQ((*members)[0].name, "sub/a.o");
  EXPECT_EQ((*members)[0].size, 1000u);
  EXPECT_TRUE((*members)[0].thin);
  EXPECT_EQ((*members)[1].name, "b.o");
}

TEST(Archive, damage_is_refused_with_its_place) {
  const Bytes good = test::archive_of({{"a.o", bytes_of("12345678")}});
  const auto broken = [&](size_t at, std::string_view text) {
    Bytes file = good;
    std::copy(text.begin(), text.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
    return read_archive(file);
  };
  constexpr size_t kName = 8, kSize = 8 + 48, kEnd = 8 + 58;
  EXPECT_EQ(broken(0, "!<arcx>\n").error().field, "magic");
  EXPECT_EQ(broken(kSize, "x         ").error().field, "size");
  EXPECT_EQ(broken(kSize, "          ").error().field, "size");
  EXPECT_EQ(broken(kSize, "9         ").error().field, "size");
  EXPECT_EQ(broken(kSize, "9999999999").error().field, "size");
  EXPECT_EQ(broken(kEnd, "xx").error().field, "end of header");
  EXPECT_EQ(broken(kName, "/12             ").error().field, "name");
  EXPECT_EQ(broken(kName, "#1/90           ").error().field, "name");
  for (size_t size = 9; size < good.size(); ++size)
    EXPECT_FALSE(read_archive(ByteSpan(good).first(size))) << size;
}

// What nvlink makes of the same.
TEST(Archive, damage_may_be_dropped) {
  Bytes good = test::archive_of({{"a.o", bytes_of("12")}, {"b.o", bytes_of("34")}});
  good[8 + 58] = 'x'; // the end of the first header
  const Result<std::vector<ArchiveMember>> all = read_archive(good, ArchiveDamage::Drop);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2u);
  const Result<std::vector<ArchiveMember>> cut =
      read_archive(ByteSpan(good).first(good.size() - 1), ArchiveDamage::Drop);
  ASSERT_TRUE(cut);
  ASSERT_EQ(cut->size(), 2u) << "a cut member is what there is of it";
  EXPECT_EQ(as_text((*cut)[1].data), "3");
  EXPECT_FALSE(read_archive(ByteSpan(good).first(good.size() - 1), ArchiveDamage::DropWithin));
  EXPECT_TRUE(read_archive(good, ArchiveDamage::DropWithin)) << "only the bounds are checked";
  const Result<std::vector<ArchiveMember>> headless =
      read_archive(ByteSpan(good).first(good.size() - 10), ArchiveDamage::Drop);
  ASSERT_TRUE(headless);
  EXPECT_EQ(headless->size(), 1u) << "half a header is no member";
  good[8 + 48] = 'x'; // the first size
  EXPECT_FALSE(read_archive(good, ArchiveDamage::Drop));
  Bytes bsd = bytes_of("!<arch>\n");
  add_member(bsd, "#1/6", bytes_of("name.odata"));
  const Result<std::vector<ArchiveMember>> named = read_archive(bsd, ArchiveDamage::Drop);
  ASSERT_TRUE(named);
  EXPECT_EQ(as_text(named->front().data), "name.odata") << "nvlink knows no such names";
}

} // namespace
} // namespace culink
