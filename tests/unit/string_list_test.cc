// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/document/byte_lines.h"

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "yaml/document/document.h"

namespace culink::text {
namespace {

using namespace std::string_literals;
using Names = std::vector<std::string_view>;

std::string assembled(const Node &list, const Names &names) {
  Complaints complaints;
  const std::vector<u8> bytes = read_string_list(list.items, names, complaints);
  EXPECT_FALSE(complaints.any()) << complaints.first().text();
  return std::string(as_text(bytes));
}

TEST(StringList, any_table_that_begins_and_ends_with_nul_survives) {
  const Names names = {"a", "", "b", "a", "c"};
  for (const std::string &table :
       {"\0"s, "\0\0\0"s, "\0a\0b\0c\0"s, "\0x\0a\0b\0\0\0c\0y\0"s, "\0c\0b\0a\0"s,
        "\0a\0a\0b\0c\0"s, "\0\xff\0a\0b\0c\0"s, "\0#1\0a\0b\0\0c\0"s}) {
    const std::optional<Node> list = string_list_node(as_bytes(table), names);
    ASSERT_TRUE(list);
    // Names that the table does not hold come behind it.
    EXPECT_TRUE(assembled(*list, names).starts_with(table));
  }
  EXPECT_FALSE(string_list_node(as_bytes(""), names));
  EXPECT_FALSE(string_list_node(as_bytes("a\0"s), names));
  EXPECT_FALSE(string_list_node(as_bytes("\0a"s), names));
}

TEST(StringList, follows_a_renamed_symbol) {
  const std::string table = "\0proto\0f\0.rel.f\0g\0"s;
  const std::optional<Node> list = string_list_node(as_bytes(table), Names{"f", "g"});
  ASSERT_TRUE(list);
  EXPECT_EQ(write_yaml(*list), "- proto\n- {names: 1}\n- .rel.f\n- {names: 1}\n");
  EXPECT_EQ(assembled(*list, {"renamed", "g"}), "\0proto\0renamed\0.rel.f\0g\0"s);
  EXPECT_EQ(assembled(*list, {"f", "g", "added"}), "\0proto\0f\0.rel.f\0g\0added\0"s);
}

TEST(StringList, finds_whole_strings_where_they_stand_first) {
  const std::string table = "\0abc\0c\0abc\0"s;
  const StringPlaces places(as_bytes(table));
  EXPECT_EQ(places.find(""), 0u);
  EXPECT_EQ(places.find("abc"), 1u);
  EXPECT_EQ(places.find("c"), 5u);
  EXPECT_EQ(places.find("bc"), std::nullopt);
}

TEST(StringList, complains_about_a_wrong_list) {
  const Result<Node> list = read_yaml("- {names: 3}\n- {zeroes: 1}\n");
  Complaints complaints;
  (void)read_string_list(list->items, Names{"a"}, complaints);
  EXPECT_EQ(complaints.first().text(), "line 1: 2 names too many; lower the count or add a symbol");
}

} // namespace
} // namespace culink::text
