// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of a RecordList. The list is the encoded bytes, so a record is found by a walk over the
// headers and named by its offset. Most records are appended once and never changed, so edits are
// kept simple: replacing or erasing a record moves all bytes after it, and the offsets of the open
// words there.
#include "link/model/record_list.h"

#include <algorithm>
#include <array>

namespace culink {

using elf::InfoAttribute;
using elf::kRecordHeaderSize;
using elf::RecordFormat;

namespace {

using Reader = elf::RecordReader<InfoAttribute>;

void store_header(u8 *record, RecordFormat format, InfoAttribute attribute, u64 half) {
  record[0] = static_cast<u8>(format);
  record[1] = static_cast<u8>(attribute);
  store_le<u16>(record + 2, static_cast<u16>(half));
}

std::vector<u8> with_header(RecordFormat format, InfoAttribute attribute, u64 half) {
  std::vector<u8> out(kRecordHeaderSize + (format == RecordFormat::Sized ? half : 0));
  store_header(out.data(), format, attribute, half);
  return out;
}

bool is_sized(const u8 *record) {
  return record[0] == static_cast<u8>(RecordFormat::Sized);
}

u64 encoded_size(const u8 *record) {
  return kRecordHeaderSize + (is_sized(record) ? load_le<u16>(record + 2) : 0);
}

} // namespace

u64 RecordList::find(InfoAttribute attribute, u64 after) const {
  const u64 begin = after == kNone ? 0 : after + encoded_size(bytes_.data() + after);
  for (Reader reader(bytes_, begin); reader.next();)
    if (reader.record().attribute == attribute)
      return reader.record().offset;
  return kNone;
}

u16 RecordList::value(u64 record) const {
  const u8 *at = bytes_.data() + record;
  return is_sized(at) ? 0 : load_le<u16>(at + 2);
}

void RecordList::set_value(u64 record, u16 value) {
  u8 *at = bytes_.data() + record;
  if (!is_sized(at))
    store_le<u16>(at + 2, value);
}

void RecordList::add(const elf::InfoRecord &record) {
  last_ = bytes_.size();
  bytes_.resize(last_ + record.encoded_size());
  u8 *to = bytes_.data() + last_;
  store_header(to, record.format, record.attribute,
               record.sized() ? record.payload.size() : record.value);
  std::ranges::copy(record.payload, to + kRecordHeaderSize);
}

void RecordList::name_word(u64 offset_in_record, InfoWord::Names names, u32 id) {
  set_word(offset_in_record, 0);
  if (id != EntityId::kNone)
    words_.push_back({last_ + offset_in_record, id, names});
}

void RecordList::set_word(u64 offset_in_record, u32 word) {
  store_le<u32>(bytes_.data() + last_ + offset_in_record, word);
}

void RecordList::put_value(InfoAttribute attribute, RecordFormat format, u16 value) {
  replace(kNone, with_header(format, attribute, value), {});
}

void RecordList::put_words(InfoAttribute attribute, std::span<const u32> words, u64 offset) {
  constexpr u64 kMost = 0xffff / 4;
  const u64 count = std::min<u64>(words.size(), kMost);
  std::vector<u8> record = with_header(RecordFormat::Sized, attribute, count * 4);
  for (u64 i = 0; i < count; ++i)
    store_le<u32>(record.data() + kRecordHeaderSize + i * 4, words[i]);
  replace(offset, record, {});
}

void RecordList::put_symbols(InfoAttribute attribute, std::span<const EntityId> entities,
                             u64 offset) {
  const std::vector<u8> record = with_header(RecordFormat::Sized, attribute, entities.size() * 4);
  std::vector<InfoWord> words;
  for (u64 i = 0; i < entities.size(); ++i)
    if (entities[i].valid())
      words.push_back({kRecordHeaderSize + i * 4, entities[i].value, InfoWord::Names::Entity});
  replace(offset, record, words);
}

void RecordList::put_symbol_and_word(InfoAttribute attribute, EntityId symbol, u32 word) {
  std::array<u8, 8> payload{};
  store_le<u32>(payload.data() + 4, word);
  add({.format = RecordFormat::Sized, .attribute = attribute, .payload = payload});
  name_word(kRecordHeaderSize, InfoWord::Names::Entity, symbol.value);
}

void RecordList::erase(u64 record) {
  if (record != kNone)
    replace(record, {}, {});
}

void RecordList::append(const RecordList &other) {
  replace(kNone, other.bytes_, other.words_);
}

// Replaces a record, or appends one.
void RecordList::replace(u64 offset, ByteSpan record, std::span<const InfoWord> words) {
  const u64 begin = offset == kNone ? bytes_.size() : offset;
  const u64 end = offset == kNone
                      ? begin
                      : std::min<u64>(bytes_.size(), begin + encoded_size(bytes_.data() + begin));
  const auto at = [](auto &list, u64 index) {
    return list.begin() + static_cast<std::ptrdiff_t>(index);
  };
  const auto first = std::ranges::lower_bound(words_, begin, {}, &InfoWord::offset);
  const auto last = std::ranges::lower_bound(words_, end, {}, &InfoWord::offset);
  for (auto word = last; word != words_.end(); ++word)
    word->offset = word->offset - end + begin + record.size();
  const auto place = words_.insert(words_.erase(first, last), words.begin(), words.end());
  for (auto word = place; word != place + static_cast<std::ptrdiff_t>(words.size()); ++word)
    word->offset += begin;
  bytes_.erase(at(bytes_, begin), at(bytes_, end));
  bytes_.insert(at(bytes_, begin), record.begin(), record.end());
}

} // namespace culink
