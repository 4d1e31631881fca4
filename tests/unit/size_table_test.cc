// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/size/size_table.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

SizeRow row(std::string name, u64 stored, u64 unpacked) {
  return {std::move(name), stored, unpacked, 1, {}};
}

TEST(Proportion, does_not_overflow) {
  EXPECT_EQ(proportion(1000, 1, 3), 333u);
  EXPECT_EQ(proportion(u64{1} << 40, u64{1} << 40, u64{1} << 41), u64{1} << 39);
  EXPECT_EQ(proportion(5, 5, 0), 0u);
}

TEST(SizeTable, sums_rows_of_a_name_and_sorts_the_largest_first) {
  SizeTable table;
  table.add(row("b", 10, 100));
  table.add(row("a", 15, 20));
  table.add(row("b", 10, 1));
  table.add(row("c", 15, 30));
  const std::vector<SizeRow> rows = table.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "b");
  EXPECT_EQ(rows[0].stored, 20u);
  EXPECT_EQ(rows[0].unpacked, 101u);
  EXPECT_EQ(rows[0].count, 2u);
  EXPECT_EQ(rows[1].name, "c") << "as much stored, more unpacked";
  EXPECT_EQ(table.total().stored, 50u);
  EXPECT_EQ(table.total().unpacked, 151u);
}

TEST(CompareSizes, tells_changes_by_size_and_leaves_out_the_rest) {
  SizeTable before, after;
  before.add(row("same", 10, 10));
  after.add(row("same", 10, 10));
  before.add(row("gone", 7, 7));
  after.add(row("new", 5, 5));
  before.add(row("shrunk", 100, 100));
  after.add(row("shrunk", 40, 100));
  before.add(row("repacked", 9, 20));
  after.add(row("repacked", 9, 21));
  const std::vector<SizeChange> changes = compare_sizes(before, after);
  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].name, "shrunk");
  EXPECT_EQ(changes[0].stored(), -60);
  EXPECT_EQ(changes[1].name, "gone");
  EXPECT_FALSE(changes[1].after.has_value());
  EXPECT_EQ(changes[2].name, "new");
  EXPECT_EQ(changes[2].stored(), 5);
  EXPECT_EQ(changes[3].unpacked(), 1);
}

} // namespace
} // namespace culink
