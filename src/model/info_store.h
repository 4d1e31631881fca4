// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of output .nv.info sections as the bytes that will be written. A large program has half a
// million records, nearly all of which are copied from the inputs; only words that name symbols are
// left open, because symbols have no numbers before the file is laid out.
//
// A store has one chunk or several. Lists of different chunks have nothing in common, so different
// threads may make and change them.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/raw_table.h"
#include "base/worker_pool.h"
#include "elf/records/nv_info.h"
#include "model/program.h"

namespace culink {

// A word of a record that names a symbol. It is zero in the bytes.
struct InfoWord {
  enum class Names : u8 {
    Entity, // the symbol of an EntityId
    Bank,   // the section symbol of an OutId
    Blank,  // the symbol without a name of an ObjectId (Q161)
  };
  u64 offset = 0; // from the start of the list
  u32 id = 0;
  Names names = Names::Entity;
};

// The records of one section: their location in the store.
struct InfoList {
  u64 begin = 0;
  u64 size = 0;
  u64 room = 0; // bytes that may be used, at least size
  u32 first_word = 0;
  u32 word_count = 0;
  u32 chunk = 0;
  [[nodiscard]] bool empty() const { return size == 0; }
};

class InfoStore {
public:
  using Bytes = RawTable<u8>;
  static constexpr u64 kNone = ~u64{0};
  static constexpr u64 kRecordSize = 4; // of a record without a payload

  InfoStore() : InfoStore(1) {}
  explicit InfoStore(u32 chunks) : chunks_(chunks) {}

  [[nodiscard]] u32 chunk_count() const { return static_cast<u32>(chunks_.size()); }
  void reserve(u64 bytes, u64 words, u32 chunk = 0) {
    chunks_[chunk].bytes.reserve(bytes);
    chunks_[chunk].words.reserve(words);
  }
  [[nodiscard]] ByteSpan bytes(const InfoList &list) const {
    return {chunks_[list.chunk].bytes.begin() + list.begin, list.size};
  }
  // For numbers of symbols, which are stored last.
  [[nodiscard]] MutableByteSpan open_bytes(const InfoList &list) {
    return {chunks_[list.chunk].bytes.data() + list.begin, list.size};
  }
  [[nodiscard]] std::span<const InfoWord> words(const InfoList &list) const {
    return {chunks_[list.chunk].words.begin() + list.first_word, list.word_count};
  }
  [[nodiscard]] elf::InfoRecords records(const InfoList &list) const {
    return elf::InfoRecords(bytes(list));
  }
  // The offset of the first record of an attribute, or of the first one behind another record; or
  // kNone.
  [[nodiscard]] u64 find(const InfoList &list, elf::InfoAttribute attribute,
                         u64 behind = kNone) const;
  // The value of a record without a payload; 0 for one with a payload.
  [[nodiscard]] u16 value(const InfoList &list, u64 record) const;
  // Records with a payload are not changed.
  void set_value(const InfoList &list, u64 record, u16 value);

  // New records, which replace the one at `offset` or are appended.
  void put_value(InfoList &list, elf::InfoAttribute attribute, elf::RecordFormat format, u16 value);
  void put_word(InfoList &list, elf::InfoAttribute attribute, u32 word, u64 offset = kNone) {
    put_words(list, attribute, {&word, 1}, offset);
  }
  // One record of as many words as fit.
  void put_words(InfoList &list, elf::InfoAttribute attribute, std::span<const u32> words,
                 u64 offset = kNone);
  void put_symbols(InfoList &list, elf::InfoAttribute attribute,
                   const std::vector<EntityId> &entities, u64 offset = kNone);
  // A record for each i < count, at the end.
  struct SymbolAndWord {
    EntityId symbol;
    u32 word = 0;
  };
  void put_symbols_and_words(InfoList &list, elf::InfoAttribute attribute, u32 count,
                             const std::function<SymbolAndWord(u32)> &pair_of, WorkerPool &pool);
  void erase(InfoList &list, u64 record);
  // Appends another list to this one.
  void append_list(InfoList &list, const InfoList &other);
  // All lists, which are in other chunks, in one of the first chunk. It has room for as many bytes
  // and words more. A list that is alone stays where it is.
  [[nodiscard]] InfoList join_lists(std::span<const InfoList> lists, u64 bytes, u64 words,
                                    WorkerPool &pool);

  // The bytes of all chunks, for sections that refer to parts of them.
  [[nodiscard]] std::vector<Bytes> take_bytes();

private:
  friend class InfoPrepender;
  using Words = RawTable<InfoWord>;
  struct Chunk {
    Bytes bytes;
    Words words;
  };

  void replace(InfoList &list, u64 offset, ByteSpan record, std::span<const InfoWord> words);
  void make_room(InfoList &list, u64 size);
  void move_words_to_end(InfoList &list);
  void replace_words(InfoList &list, u64 begin, u64 end, u64 new_end,
                     std::span<const InfoWord> words);

  [[nodiscard]] u8 *data(const InfoList &list) {
    return chunks_[list.chunk].bytes.data() + list.begin;
  }

  std::vector<Chunk> chunks_;
};

// A new list, each record of which comes before those that are there: inputs are read in order, and
// nvlink writes what it read last first.
class InfoPrepender {
public:
  // For records of at most `most` bytes and `spare` bytes of further room. While the prepender
  // exists, nothing else adds to its chunk.
  explicit InfoPrepender(InfoStore &store, u64 most, u32 chunk = 0, u64 spare = 0)
      : chunk_(store.chunks_[chunk]), number_(chunk),
        first_word_(static_cast<u32>(chunk_.words.size())), spare_(spare) {
    const u64 begin = chunk_.bytes.extend(most + spare);
    front_ = chunk_.bytes.data() + begin + most;
  }

  // Adds a record unchanged. Returns its bytes.
  u8 *add(ByteSpan record) {
    front_ -= record.size();
    switch (record.size()) { // those of nearly all records
    case 4:
      std::memcpy(front_, record.data(), 4);
      break;
    case 8:
      std::memcpy(front_, record.data(), 8);
      break;
    case 12:
      std::memcpy(front_, record.data(), 12);
      break;
    case 16:
      std::memcpy(front_, record.data(), 16);
      break;
    default:
      std::memcpy(front_, record.data(), record.size());
    }
    return front_;
  }
  // Marks a word of the last record as the number of a symbol; it is 0 in an empty record.
  void name(u8 *word, InfoWord::Names names, u32 id) {
    store_le<u32>(word, 0);
    if (id == EntityId::kNone)
      return;
    InfoWord &made = chunk_.words.add();
    made.offset = static_cast<u64>(word - chunk_.bytes.data());
    made.id = id;
    made.names = names;
  }
  [[nodiscard]] InfoList finish() {
    const u64 begin = static_cast<u64>(front_ - chunk_.bytes.data());
    const u64 room = chunk_.bytes.size() - begin;
    const u32 end = static_cast<u32>(chunk_.words.size());
    for (u32 i = first_word_; i < end; ++i)
      chunk_.words[i].offset -= begin;
    return {begin, room - spare_, room, first_word_, end - first_word_, number_};
  }

private:
  InfoStore::Chunk &chunk_;
  const u32 number_; // of the chunk
  const u32 first_word_;
  const u64 spare_;
  u8 *front_; // of the records
};

} // namespace culink
