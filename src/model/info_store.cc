// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of records follow each other in one vector, so that a hundred thousand of them need no
// allocation each. A list that outgrows its room moves to the end and leaves a hole, which is
// small: few lists grow by more than the one record for which there is room.
#include "model/info_store.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

std::array<u8, 4> record_head(RecordFormat format, InfoAttribute attribute, u64 half) {
  return {static_cast<u8>(format), static_cast<u8>(attribute), static_cast<u8>(half),
          static_cast<u8>(half >> 8)};
}

bool is_sized(const u8 *record) {
  return record[0] == static_cast<u8>(RecordFormat::Sized);
}

// Of a record with this first word.
u64 size_of_record(u32 word) {
  const bool sized = (word & 0xff) == static_cast<u32>(RecordFormat::Sized);
  return InfoStore::kRecordSize + (sized ? word >> 16 : 0);
}

u64 size_of_record(const u8 *record) {
  return size_of_record(load_le<u32>(record));
}

} // namespace

u64 InfoStore::find(const InfoList &list, InfoAttribute attribute, u64 behind) const {
  const u8 *bytes = this->bytes(list).data();
  u64 at = behind == kNone ? 0 : behind + size_of_record(bytes + behind);
  while (at + kRecordSize <= list.size) {
    const u32 word = load_le<u32>(bytes + at);
    if (static_cast<InfoAttribute>(word >> 8 & 0xff) == attribute)
      return at;
    at += size_of_record(word);
  }
  return kNone;
}

u16 InfoStore::value(const InfoList &list, u64 record) const {
  const u8 *at = bytes(list).data() + record;
  return is_sized(at) ? 0 : load_le<u16>(at + 2);
}

void InfoStore::set_value(const InfoList &list, u64 record, u16 value) {
  u8 *at = data(list) + record;
  if (!is_sized(at))
    store_le<u16>(at + 2, value);
}

void InfoStore::put_value(InfoList &list, InfoAttribute attribute, RecordFormat format, u16 value) {
  replace(list, kNone, record_head(format, attribute, value), {});
}

void InfoStore::put_words(InfoList &list, InfoAttribute attribute, std::span<const u32> words,
                          u64 offset) {
  constexpr u64 kMost = 0xffff / 4;
  const u64 count = std::min<u64>(words.size(), kMost);
  std::vector<u8> record(kRecordSize + count * 4);
  std::ranges::copy(record_head(RecordFormat::Sized, attribute, count * 4), record.begin());
  for (u64 i = 0; i < count; ++i)
    store_le<u32>(record.data() + kRecordSize + i * 4, words[i]);
  replace(list, offset, record, {});
}

void InfoStore::put_symbols_and_words(InfoList &list, InfoAttribute attribute, u32 count,
                                      const std::function<SymbolAndWord(u32)> &pair_of,
                                      WorkerPool &pool) {
  constexpr u64 kSize = kRecordSize + 8;
  constexpr u32 kTogether = 4096;
  const u64 begin = list.size;
  make_room(list, begin + count * kSize);
  list.size += count * kSize;
  move_words_to_end(list);
  Words &all = chunks_[list.chunk].words;
  const u64 first_word = all.extend(count);
  list.word_count += count;
  const std::array<u8, 4> head = record_head(RecordFormat::Sized, attribute, 8);
  pool.for_ranges(count, kTogether, [&](u32 first, u32 end) {
    for (u32 i = first; i < end; ++i) {
      const SymbolAndWord pair = pair_of(i);
      const u64 offset = begin + i * kSize;
      u8 *record = data(list) + offset;
      std::ranges::copy(head, record);
      store_le<u32>(record + kRecordSize, 0);
      store_le<u32>(record + kRecordSize + 4, pair.word);
      all[first_word + i] = {offset + kRecordSize, pair.symbol.value, InfoWord::Names::Entity};
    }
  });
}

void InfoStore::put_symbols(InfoList &list, InfoAttribute attribute,
                            const std::vector<EntityId> &entities, u64 offset) {
  std::vector<u8> record(kRecordSize + entities.size() * 4);
  std::ranges::copy(record_head(RecordFormat::Sized, attribute, entities.size() * 4),
                    record.begin());
  std::vector<InfoWord> words;
  for (u64 i = 0; i < entities.size(); ++i)
    if (entities[i].valid())
      words.push_back({kRecordSize + i * 4, entities[i].value, InfoWord::Names::Entity});
  replace(list, offset, record, words);
}

// Does what replace() would do with nothing, for every kernel.
void InfoStore::erase(InfoList &list, u64 record) {
  if (record == kNone)
    return;
  u8 *at = data(list) + record;
  const u64 rest = list.size - record;
  const u64 size = std::min(rest, size_of_record(at));
  std::memmove(at, at + size, rest - size);
  list.size -= size;
  replace_words(list, record, record + size, record, {});
}

void InfoStore::append_list(InfoList &list, const InfoList &other) {
  if (other.empty())
    return;
  const ByteSpan bytes = this->bytes(other);
  const std::span<const InfoWord> words = this->words(other);
  if (other.chunk != list.chunk) // which does not move when this one grows
    return replace(list, kNone, bytes, words);
  replace(list, kNone, std::vector<u8>(bytes.begin(), bytes.end()),
          std::vector<InfoWord>(words.begin(), words.end()));
}

InfoList InfoStore::join_lists(std::span<const InfoList> lists, u64 bytes, u64 words,
                               WorkerPool &pool) {
  if (lists.size() == 1)
    return lists[0];
  InfoList out;
  std::vector<std::pair<u64, u64>> starts; // of the bytes and words of each list
  for (const InfoList &list : lists) {
    starts.emplace_back(out.size, out.word_count);
    out.size += list.size;
    out.word_count += list.word_count;
  }
  Chunk &chunk = chunks_[0];
  out.room = out.size;
  reserve(chunk.bytes.size() + out.size + bytes, chunk.words.size() + out.word_count + words);
  out.begin = chunk.bytes.extend(out.size);
  out.first_word = static_cast<u32>(chunk.words.extend(out.word_count));
  pool.for_each(static_cast<u32>(lists.size()), [&](u32 i) {
    const auto [byte, word] = starts[i];
    if (!lists[i].empty())
      std::memcpy(chunk.bytes.data() + out.begin + byte, this->bytes(lists[i]).data(),
                  lists[i].size);
    InfoWord *to = chunk.words.data() + out.first_word + word;
    for (InfoWord one : this->words(lists[i])) {
      one.offset += byte;
      *to++ = one;
    }
  });
  return out;
}

// Replaces a record, or appends one.
void InfoStore::replace(InfoList &list, u64 offset, ByteSpan record,
                        std::span<const InfoWord> words) {
  const u64 begin = offset == kNone ? list.size : offset;
  const u64 end =
      offset == kNone ? begin : std::min(list.size, begin + size_of_record(data(list) + begin));
  const u64 new_size = list.size - (end - begin) + record.size();
  make_room(list, new_size);
  u8 *at = data(list) + begin;
  if (list.size != end) // a list without bytes may be nowhere
    std::memmove(at + record.size(), at + (end - begin), list.size - end);
  if (!record.empty())
    std::memcpy(at, record.data(), record.size());
  list.size = new_size;
  replace_words(list, begin, end, begin + record.size(), words);
}

void InfoStore::make_room(InfoList &list, u64 size) {
  if (size <= list.room)
    return;
  Bytes &bytes = chunks_[list.chunk].bytes;
  if (list.begin + list.room != bytes.size()) {
    const u64 begin = bytes.extend(size);
    if (list.size != 0)
      std::memcpy(bytes.data() + begin, bytes.data() + list.begin, list.size);
    list.begin = begin;
  } else {
    (void)bytes.extend(size - list.room);
  }
  list.room = size;
}

// So that more can be appended.
void InfoStore::move_words_to_end(InfoList &list) {
  Words &all = chunks_[list.chunk].words;
  if (list.first_word + list.word_count == all.size())
    return;
  const u32 first = static_cast<u32>(all.extend(list.word_count));
  std::copy_n(all.data() + list.first_word, list.word_count, all.data() + first);
  list.first_word = first;
}

// The bytes from `begin` to `end` now end at `new_end`, and have these words.
void InfoStore::replace_words(InfoList &list, u64 begin, u64 end, u64 new_end,
                              std::span<const InfoWord> words) {
  u32 kept = 0;
  Words &all = chunks_[list.chunk].words;
  InfoWord *own = all.data() + list.first_word;
  if (begin != end) // otherwise nothing follows
    for (u32 i = 0; i < list.word_count; ++i) {
      InfoWord word = own[i];
      if (word.offset >= begin && word.offset < end)
        continue;
      if (word.offset >= end)
        word.offset = word.offset - end + new_end;
      own[kept++] = word;
    }
  else
    kept = list.word_count;
  list.word_count = kept;
  if (words.empty())
    return;
  move_words_to_end(list);
  for (InfoWord word : words) {
    word.offset += begin;
    all.push_back(word);
  }
  list.word_count += static_cast<u32>(words.size());
}

std::vector<InfoStore::Bytes> InfoStore::take_bytes() {
  std::vector<Bytes> out;
  out.reserve(chunks_.size());
  for (Chunk &chunk : chunks_)
    out.push_back(std::move(chunk.bytes));
  return out;
}

} // namespace culink
