// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "link/model/record_list.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

using elf::InfoAttribute;
using elf::InfoRecord;
using elf::RecordFormat;

constexpr std::array<u8, 8> kTwoWords = {9, 0, 0, 0, 24, 0, 0, 0};

std::vector<InfoAttribute> attributes(const RecordList &list) {
  std::vector<InfoAttribute> out;
  for (const InfoRecord &record : list.records())
    out.push_back(record.attribute);
  return out;
}

std::vector<std::pair<u64, u32>> words(const RecordList &list) {
  std::vector<std::pair<u64, u32>> out;
  for (const InfoWord &word : list.words())
    out.emplace_back(word.offset, word.id);
  return out;
}

// REGCOUNT of entity 5, then NUM_BARRIERS.
RecordList two_records() {
  RecordList list;
  list.add(InfoRecord{RecordFormat::Sized, InfoAttribute::Regcount, 0, kTwoWords});
  list.name_word(4, InfoWord::Names::Entity, 5);
  list.add(InfoRecord{RecordFormat::Byte, InfoAttribute::NumBarriers, 3, {}});
  return list;
}

TEST(RecordList, keeps_words_that_name_symbols_open) {
  RecordList list = two_records();
  EXPECT_EQ(words(list), (std::vector<std::pair<u64, u32>>{{4, 5}}));
  EXPECT_EQ(load_le<u32>(list.bytes().data() + 4), 0u);
  EXPECT_EQ(load_le<u32>(list.bytes().data() + 8), 24u);
  list.store_numbers([](const InfoWord &word) { return word.id + 100; });
  EXPECT_EQ(load_le<u32>(list.bytes().data() + 4), 105u);
  EXPECT_TRUE(list.words().empty());
}

TEST(RecordList, leaves_a_word_without_a_symbol_zero) {
  RecordList list;
  list.add(InfoRecord{RecordFormat::Sized, InfoAttribute::Regcount, 0, kTwoWords});
  list.name_word(4, InfoWord::Names::Entity, EntityId::kNone);
  list.set_word(8, 7);
  EXPECT_TRUE(list.words().empty());
  EXPECT_EQ(load_le<u32>(list.bytes().data() + 4), 0u);
  EXPECT_EQ(load_le<u32>(list.bytes().data() + 8), 7u);
}

TEST(RecordList, finds_and_changes_values_in_place) {
  RecordList list = two_records();
  const u64 record = list.find(InfoAttribute::NumBarriers);
  ASSERT_EQ(record, 12u);
  EXPECT_EQ(list.value(record), 3);
  list.set_value(record, 7);
  EXPECT_EQ(list.value(record), 7);
  list.set_value(0, 7); // has a payload, and no value
  EXPECT_EQ(list.value(0), 0);
  EXPECT_EQ(list.find(InfoAttribute::Externs), RecordList::kNone);
}

TEST(RecordList, finds_the_next_record_of_an_attribute) {
  RecordList list = two_records();
  list.append(two_records());
  const u64 first = list.find(InfoAttribute::NumBarriers);
  EXPECT_EQ(list.find(InfoAttribute::NumBarriers, first), 28u);
  EXPECT_EQ(list.find(InfoAttribute::NumBarriers, 28), RecordList::kNone);
}

TEST(RecordList, moves_the_words_after_a_record_that_changes_its_size) {
  RecordList list = two_records();
  list.put_symbols(InfoAttribute::Externs, std::vector{EntityId(1), EntityId(), EntityId(2)});
  list.put_symbol_and_word(InfoAttribute::MinStackSize, EntityId(8), 48);
  list.put_symbols(InfoAttribute::Externs, std::vector{EntityId(3)},
                   list.find(InfoAttribute::Externs));
  EXPECT_EQ(attributes(list), (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers,
                                           InfoAttribute::Externs, InfoAttribute::MinStackSize}));
  EXPECT_EQ(words(list), (std::vector<std::pair<u64, u32>>{{4, 5}, {20, 3}, {28, 8}}));
  list.erase(0);
  EXPECT_EQ(attributes(list), (std::vector{InfoAttribute::NumBarriers, InfoAttribute::Externs,
                                           InfoAttribute::MinStackSize}));
  EXPECT_EQ(words(list), (std::vector<std::pair<u64, u32>>{{8, 3}, {16, 8}}));
}

TEST(RecordList, appends_another_list) {
  RecordList list = two_records();
  list.append(two_records());
  EXPECT_EQ(attributes(list), (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers,
                                           InfoAttribute::Regcount, InfoAttribute::NumBarriers}));
  EXPECT_EQ(words(list), (std::vector<std::pair<u64, u32>>{{4, 5}, {20, 5}}));
  RecordList empty;
  empty.append({});
  empty.erase(RecordList::kNone);
  EXPECT_TRUE(empty.empty());
}

} // namespace
} // namespace culink
