// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of one output .nv.info section as the bytes that will be written. Nearly all records
// are copied from the inputs. Words that name symbols stay open, because symbols have no numbers
// before the file is laid out.
#pragma once

#include <span>
#include <vector>

#include "elf/records/nv_info.h"
#include "link/model/layout.h"
#include "link/model/program.h"
#include "support/bytes.h"
#include "support/uninitialized.h"

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

class RecordList {
public:
  static constexpr u64 kNone = ~u64{0};

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] MutableByteSpan open_bytes() { return bytes_; }
  [[nodiscard]] std::span<const InfoWord> words() const { return words_; } // by offset
  [[nodiscard]] elf::InfoRecords records() const { return elf::InfoRecords(bytes_); }

  // The offset of the first record of an attribute, or of the first one after another record; or
  // kNone.
  [[nodiscard]] u64 find(elf::InfoAttribute attribute, u64 after = kNone) const;
  // The value of a record without a payload; 0 for one with a payload.
  [[nodiscard]] u16 value(u64 record) const;
  // Records with a payload are not changed.
  void set_value(u64 record, u16 value);

  void reserve(u64 bytes) { bytes_.reserve(bytes); }
  // Appends a record unchanged.
  void add(const elf::InfoRecord &record);
  // Marks a word of the last record as the number of a symbol; an invalid id leaves it 0.
  void name_word(u64 offset_in_record, InfoWord::Names names, u32 id);
  // Stores a word of the last record.
  void set_word(u64 offset_in_record, u32 word);
  // Stores number_of(word) into each word that names a symbol; these words are closed then.
  template <typename NumberOf> void store_numbers(const NumberOf &number_of) {
    for (const InfoWord &word : words_)
      store_le<u32>(bytes_.data() + word.offset, number_of(word));
    words_.clear();
  }

  // New records, which replace the one at `offset` or are appended.
  void put_value(elf::InfoAttribute attribute, elf::RecordFormat format, u16 value);
  void put_word(elf::InfoAttribute attribute, u32 word, u64 offset = kNone) {
    put_words(attribute, {&word, 1}, offset);
  }
  // One record of as many words as fit.
  void put_words(elf::InfoAttribute attribute, std::span<const u32> words, u64 offset = kNone);
  void put_symbols(elf::InfoAttribute attribute, std::span<const EntityId> entities,
                   u64 offset = kNone);
  void put_symbol_and_word(elf::InfoAttribute attribute, EntityId symbol, u32 word);
  // Does nothing for kNone.
  void erase(u64 record);

  void append(const RecordList &other);

private:
  void replace(u64 offset, ByteSpan record, std::span<const InfoWord> words);

  RawVector<u8> bytes_;
  std::vector<InfoWord> words_; // ascending
  u64 last_ = 0;                // offset of the record that add() appended last
};

// Records of the output that the linker makes or changes. They name entities and sections; numbers
// exist only when the file is written.

struct InfoPlan {
  RecordList module;
  // By FunctionId of the function that a text section belongs to: see OutSection::function.
  std::vector<RecordList> of_function;
  std::vector<u64> text_flags; // by OutId: flags beside those of the layout; mostly empty
};

// The resources of a kernel, including the functions it calls.
struct KernelUse {
  FunctionId kernel;
  u32 registers = 0;
  u32 barriers = 0;
  u64 stack = 0;
  bool recursive = false;
};

} // namespace culink
