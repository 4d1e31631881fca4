// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/document/document.h"

#include <gtest/gtest.h>

namespace culink::text {
namespace {

bool same(const Node &a, const Node &b) {
  if (a.kind != b.kind || a.key != b.key || a.text != b.text || a.items.size() != b.items.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i]))
      return false;
  return true;
}

std::string yaml_refusal(std::string_view yaml) {
  const Result<Node> result = read_yaml(yaml);
  return result ? "accepted" : result.error().text();
}

TEST(YamlIo, reads_maps_lists_and_lines_with_their_line_numbers) {
  const Result<Node> document = read_yaml("arch: sm_90\nlist:\n- a\n- {k: v}\ncode: |\n  x\n  y\n");
  ASSERT_TRUE(document) << document.error().text();
  ASSERT_EQ(document->items.size(), 3u);
  EXPECT_EQ(document->find("arch")->text, "sm_90");
  const Node &list = *document->find("list");
  EXPECT_EQ(list.items[0].text, "a");
  EXPECT_EQ(list.items[0].line, 3u);
  EXPECT_EQ(list.items[1].find("k")->text, "v");
  EXPECT_EQ(document->find("code")->text, "x\ny\n");
  EXPECT_EQ(document->find("code")->line, 5u);
}

TEST(YamlIo, writes_what_it_reads_back) {
  Node row = Node::map(Node::Style::Flow);
  row.set("name", "_Z1fv");
  row.set("empty", "");
  Node nested = Node::sequence();
  nested.add(row);
  nested.add(Node{});
  Node inner = Node::map();
  inner.set("deep", nested);
  inner.set("lines", Node::lines("one\ntwo # kept\n"));
  Node outer = Node::sequence();
  outer.add(inner);
  outer.add(Node::sequence(Node::Style::Flow));
  Node document = Node::map();
  document.set("outer", outer);
  document.set("last", Node::map());
  const std::string yaml = write_yaml(document, "a comment\nof two lines");
  EXPECT_TRUE(yaml.starts_with("# a comment\n# of two lines\nouter:\n- deep:\n"));
  const Result<Node> back = read_yaml(yaml);
  ASSERT_TRUE(back) << back.error().text() << "\n" << yaml;
  EXPECT_TRUE(same(document, *back)) << yaml;
}

TEST(YamlIo, every_text_survives_as_value_and_key) {
  std::vector<std::string> texts = {"",
                                    "null",
                                    "~",
                                    "Null",
                                    "true",
                                    "0x10",
                                    "-5",
                                    "- x",
                                    "a: b",
                                    "a #b",
                                    "#ii",
                                    "*x",
                                    "&x",
                                    "!t",
                                    "%d",
                                    "@",
                                    "`",
                                    "{a}",
                                    "[",
                                    "'",
                                    "\"",
                                    "\\",
                                    "...",
                                    "---",
                                    " x",
                                    "x ",
                                    "a\nb",
                                    "\n",
                                    "a\tb",
                                    "?",
                                    ":",
                                    "\xef\xbb\xbf",
                                    "\xc2\x85",
                                    "\xe2\x80\xa8",
                                    "\xf0\x9f\x98\x80",
                                    ".nv.info",
                                    "$str",
                                    "..x",
                                    "x, y",
                                    "|",
                                    ">"};
  for (int c = 1; c < 128; ++c) {
    texts.push_back(std::string(1, static_cast<char>(c)));
    texts.push_back("a" + std::string(1, static_cast<char>(c)) + "b");
  }
  for (const std::string &text : texts) {
    ASSERT_TRUE(is_yaml_text(text));
    Node row = Node::map(Node::Style::Flow);
    row.set("v", text);
    row.set("k" + text, "x");
    Node list = Node::sequence();
    list.add(row);
    list.add(Node::scalar(text));
    const std::string yaml = write_yaml(list);
    const Result<Node> back = read_yaml(yaml);
    ASSERT_TRUE(back) << yaml << back.error().text();
    EXPECT_TRUE(same(list, *back)) << yaml;
  }
}

TEST(YamlIo, tells_text_from_bytes) {
  EXPECT_TRUE(is_yaml_text("\xe2\x82\xac"));
  for (const char *bytes : {"\xff", "\x80", "a\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xe2\x82"})
    EXPECT_FALSE(is_yaml_text(bytes));
}

TEST(YamlIo, refuses_what_is_no_plain_tree) {
  EXPECT_EQ(yaml_refusal("a: &x 1\nb: *x\n"),
            "line 1: anchors (&name) are not supported; write the value where it is needed");
  // yaml-cpp 0.8 adds the name.
  EXPECT_TRUE(yaml_refusal("b: *x\n").starts_with(
      "line 1: not valid YAML: the referenced anchor is not defined"));
  EXPECT_EQ(yaml_refusal("a: 1\nb: !!int 3\n"),
            "line 2: tags (tag:yaml.org,2002:int) are not supported; write the plain value");
  EXPECT_EQ(yaml_refusal("? {a: b}\n: c\n"), "line 1: a key must be a plain string");
  EXPECT_EQ(yaml_refusal("a: 1\n---\nb: 2\n"),
            "the file holds a second YAML document; write one per file");
  EXPECT_EQ(yaml_refusal(""), "the file holds no YAML document");
  EXPECT_EQ(yaml_refusal("a: 1\nb: {c\n"), "line 3: not valid YAML: end of map flow not found");
}

TEST(YamlIo, bounds_nesting_whatever_the_style) {
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string yaml;
    for (int i = 0; i < 100000; ++i)
      yaml += open;
    EXPECT_NE(yaml_refusal(yaml), "accepted") << open;
  }
  EXPECT_EQ(yaml_refusal(std::string(kMaxYamlDepth + 1, '[') + std::string(kMaxYamlDepth + 1, ']')),
            "line 1: nested deeper than 24 levels");
}

} // namespace
} // namespace culink::text
