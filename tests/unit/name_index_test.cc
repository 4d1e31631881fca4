// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/document/name_index.h"

#include <gtest/gtest.h>

namespace culink::text {
namespace {

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
