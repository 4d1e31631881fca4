// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/info_store.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace culink {
namespace {

using elf::InfoAttribute;
using elf::InfoRecord;
using elf::RecordFormat;

std::vector<u8> encoded(RecordFormat format, InfoAttribute attribute, u16 value,
                        std::vector<u8> payload = {}) {
  std::vector<u8> out;
  elf::append_record(out, InfoRecord{format, attribute, value, payload});
  return out;
}

std::vector<InfoAttribute> attributes(const InfoStore &store, const InfoList &list) {
  std::vector<InfoAttribute> out;
  for (const InfoRecord &record : store.records(list))
    out.push_back(record.attribute);
  return out;
}

// NUM_BARRIERS, then REGCOUNT of entity 5, as read; so written the other way round.
InfoList two_records(InfoStore &store, u64 spare = 0) {
  InfoPrepender list(store, 100, 0, spare);
  list.add(encoded(RecordFormat::Byte, InfoAttribute::NumBarriers, 3));
  u8 *copy =
      list.add(encoded(RecordFormat::Sized, InfoAttribute::Regcount, 0, {9, 0, 0, 0, 24, 0, 0, 0}));
  list.name(copy + 4, InfoWord::Names::Entity, 5);
  return list.finish();
}

TEST(InfoStore, writes_what_was_read_last_first) {
  InfoStore store;
  const InfoList list = two_records(store);
  EXPECT_EQ(attributes(store, list),
            (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers}));
  ASSERT_EQ(store.words(list).size(), 1u);
  EXPECT_EQ(store.words(list)[0].offset, 4u);
  EXPECT_EQ(store.words(list)[0].id, 5u);
  EXPECT_EQ(load_le<u32>(store.bytes(list).data() + 4), 0u); // to be filled in
  EXPECT_EQ(load_le<u32>(store.bytes(list).data() + 8), 24u);
}

TEST(InfoStore, finds_and_changes_values_in_place) {
  InfoStore store;
  const InfoList list = two_records(store);
  const u64 record = store.find(list, InfoAttribute::NumBarriers);
  ASSERT_EQ(record, 12u);
  EXPECT_EQ(store.value(list, record), 3);
  store.set_value(list, record, 7);
  EXPECT_EQ(store.value(list, record), 7);
  store.set_value(list, 0, 7); // has a payload, and no value
  EXPECT_EQ(store.value(list, 0), 0);
  EXPECT_EQ(store.find(list, InfoAttribute::Externs), InfoStore::kNone);
}

TEST(InfoStore, keeps_lists_apart_when_one_grows) {
  for (const u64 spare : {u64{0}, InfoStore::kRecordSize}) {
    InfoStore store;
    InfoList first = two_records(store, spare);
    const InfoList second = two_records(store);
    store.put_value(first, InfoAttribute::CtaidzUsed, RecordFormat::NoValue, 0);
    store.put_word(first, InfoAttribute::CrsStackSize, 0xffffffff);
    EXPECT_EQ(attributes(store, first),
              (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers,
                           InfoAttribute::CtaidzUsed, InfoAttribute::CrsStackSize}));
    EXPECT_EQ(attributes(store, second),
              (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers}));
    EXPECT_EQ(store.words(first)[0].offset, 4u);
  }
}

TEST(InfoStore, moves_the_words_behind_a_record_that_changes_its_size) {
  InfoStore store;
  InfoList list = two_records(store);
  store.put_symbols(list, InfoAttribute::Externs, {EntityId(1), EntityId(), EntityId(2)});
  WorkerPool pool(1);
  store.put_symbols_and_words(
      list, InfoAttribute::MinStackSize, 1,
      [](u32) {
        return InfoStore::SymbolAndWord{EntityId(8), 48};
      },
      pool);
  store.put_symbols(list, InfoAttribute::Externs, {EntityId(3)},
                    store.find(list, InfoAttribute::Externs));
  EXPECT_EQ(attributes(store, list),
            (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers,
                         InfoAttribute::Externs, InfoAttribute::MinStackSize}));
  std::vector<std::pair<u64, u32>> words;
  for (const InfoWord &word : store.words(list))
    words.emplace_back(word.offset, word.id);
  EXPECT_EQ(words, (std::vector<std::pair<u64, u32>>{{4, 5}, {28, 8}, {20, 3}}));
  store.erase(list, 0);
  EXPECT_EQ(attributes(store, list),
            (std::vector{InfoAttribute::NumBarriers, InfoAttribute::Externs,
                         InfoAttribute::MinStackSize}));
  ASSERT_EQ(store.words(list).size(), 2u);
  EXPECT_EQ(store.words(list)[0].offset, 16u);
}

// Threads fill chunks at the same time; a list that grows moves inside its own.
TEST(InfoStore, keeps_lists_of_chunks_apart) {
  InfoStore store(3);
  std::vector<InfoList> lists;
  for (u32 chunk = 0; chunk < 3; ++chunk)
    for (u32 i = 0; i < 2; ++i) {
      InfoPrepender list(store, 12, chunk);
      u8 *copy = list.add(encoded(RecordFormat::Sized, InfoAttribute::Regcount, 0,
                                  {0, 0, 0, 0, static_cast<u8>(10 * chunk + i), 0, 0, 0}));
      list.name(copy + 4, InfoWord::Names::Entity, 10 * chunk + i);
      lists.push_back(list.finish());
    }
  store.put_value(lists[2], InfoAttribute::NumBarriers, RecordFormat::Byte, 7); // first of chunk 1
  store.append_list(lists[0], lists[5]);
  for (u32 chunk = 0; chunk < 3; ++chunk)
    for (u32 i = 0; i < 2; ++i) {
      const InfoList &list = lists[chunk * 2 + i];
      EXPECT_EQ(list.chunk, chunk);
      EXPECT_EQ(store.bytes(list)[8], 10 * chunk + i);
      EXPECT_EQ(store.words(list)[0].id, 10 * chunk + i);
      EXPECT_EQ(store.words(list)[0].offset, 4u);
    }
  EXPECT_EQ(lists[2].size, 16u);
  EXPECT_EQ(store.words(lists[0])[1].id, 21u);
  EXPECT_EQ(store.words(lists[0])[1].offset, 16u);
  EXPECT_EQ(store.take_bytes().size(), 3u);
}

TEST(InfoStore, joins_lists_without_records) {
  InfoStore store(2);
  InfoList joined;
  store.append_list(joined, InfoList{.chunk = 1});
  store.erase(joined, InfoStore::kNone); // nothing
  EXPECT_TRUE(joined.empty());
}

TEST(InfoStore, puts_one_list_behind_another) {
  InfoStore store;
  const InfoList older = two_records(store);
  InfoList list = two_records(store);
  store.append_list(list, older);
  EXPECT_EQ(attributes(store, list),
            (std::vector{InfoAttribute::Regcount, InfoAttribute::NumBarriers,
                         InfoAttribute::Regcount, InfoAttribute::NumBarriers}));
  ASSERT_EQ(store.words(list).size(), 2u);
  EXPECT_EQ(store.words(list)[1].offset, 20u);
}

} // namespace
} // namespace culink
