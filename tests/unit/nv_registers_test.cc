// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_registers.h"

#include <gtest/gtest.h>
#include <string>

#include "elf/codec.h"

namespace culink::elf {
namespace {

void append_name(std::vector<u8> &out, const std::string &name) {
  out.insert(out.end(), name.begin(), name.end());
  out.push_back(0);
}

std::vector<u8> table_of_two() {
  std::vector<u8> out;
  append_name(out, "kernel");
  append_le<u32>(out, 2);
  for (const u32 number : {7, 9}) {
    append_le<u32>(out, 0);
    append_name(out, "%r1");
    for (const u32 value : {number, number * 16, number * 32})
      append_le<u32>(out, value);
  }
  append_name(out, "empty");
  append_le<u32>(out, 0);
  return out;
}

TEST(Registers, BlocksAndRecordsAreFound) {
  const std::vector<u8> table = table_of_two();
  const std::vector<RegisterBlock> blocks = split_registers(table);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].function, "kernel");
  ASSERT_EQ(blocks[0].records.size(), 2u);
  EXPECT_EQ(blocks[0].records[1].number, 9u);
  EXPECT_EQ(blocks[0].records[1].start, 144u);
  EXPECT_EQ(blocks[0].records[1].end, 288u);
  EXPECT_EQ(table[blocks[0].records[1].offset], 144u);
  EXPECT_EQ(blocks[1].function, "empty");
  EXPECT_EQ(blocks[1].offset, blocks[0].bytes.size());
  EXPECT_TRUE(blocks[1].records.empty());
}

TEST(Registers, DamageEndsTheTable) {
  const std::vector<u8> table = table_of_two();
  const size_t first = split_registers(table)[0].bytes.size();
  for (size_t size = 0; size < table.size(); ++size)
    EXPECT_EQ(split_registers(ByteSpan(table).first(size)).size(), size < first ? 0u : 1u) << size;
  std::vector<u8> many = table;
  many[7] = many[8] = many[9] = many[10] = 0xff; // the count
  EXPECT_TRUE(split_registers(many).empty());
}

} // namespace
} // namespace culink::elf
