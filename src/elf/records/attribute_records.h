// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The framing of .nv.info and .nv.compat: u8 format, u8 attribute, u16 value; in sized records the
// value is the size of the payload that follows. nv_info.h and nv_compat.h define the attributes.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "elf/codec.h"
#include "support/bytes.h"

namespace culink::elf {

enum class RecordFormat : u8 { NoValue = 1, Byte = 2, Half = 3, Sized = 4 };

inline constexpr u64 kRecordHeaderSize = 4;

// One record. `Attribute` is an enum of u8; unknown codes are preserved.
template <typename Attribute> struct AttributeRecord {
  RecordFormat format = RecordFormat::NoValue;
  Attribute attribute{};
  u16 value = 0;    // bytes 2 and 3 of an unsized record; the format may ignore some bits
  ByteSpan payload; // of a sized record, in the section; at most 0xffff bytes
  u64 offset = 0;   // offset in the input; not encoded

  [[nodiscard]] bool sized() const { return format == RecordFormat::Sized; }
  [[nodiscard]] u64 encoded_size() const {
    return kRecordHeaderSize + (sized() ? payload.size() : 0);
  }

  // Records are equal if they encode to the same bytes.
  friend bool operator==(const AttributeRecord &a, const AttributeRecord &b) {
    return a.format == b.format && a.attribute == b.attribute &&
           (a.sized() ? std::ranges::equal(a.payload, b.payload) : a.value == b.value);
  }
};

template <typename Attribute> struct AttributeSection {
  std::vector<AttributeRecord<Attribute>> records;
  ByteSpan rest;
  std::vector<Violation> violations; // of the framing; nv_info.h checks single records
};

[[nodiscard]] constexpr bool is_record_format(u8 format) {
  return format >= static_cast<u8>(RecordFormat::NoValue) &&
         format <= static_cast<u8>(RecordFormat::Sized);
}

// Returns the reason why no record can be read at `offset`.
[[nodiscard]] Violation framing_problem(ByteSpan section, u64 offset);

// Reads record after record without allocating: for the linker's hot path.
//   for (RecordReader<InfoAttribute> reader(bytes); reader.next();) use(reader.record());
template <typename Attribute> class RecordReader {
public:
  // `begin` must be the offset of a record.
  explicit RecordReader(ByteSpan section, u64 begin = 0) : section_(section), cursor_(begin) {}

  // Returns false at the end, or if the next record cannot be found: then rest() is not empty.
  [[nodiscard]] bool next() {
    const u64 left = section_.size() - cursor_;
    if (left < kRecordHeaderSize)
      return false;
    const u8 *p = section_.data() + cursor_;
    const u32 word = load_le<u32>(p); // format, attribute, and a half
    if (!is_record_format(static_cast<u8>(word)))
      return false;
    const u16 half = static_cast<u16>(word >> 16);
    const bool sized = static_cast<RecordFormat>(word & 0xff) == RecordFormat::Sized;
    const u64 payload = sized ? half : 0;
    if (left - kRecordHeaderSize < payload)
      return false;
    record_ = {.format = static_cast<RecordFormat>(word & 0xff),
               .attribute = static_cast<Attribute>(word >> 8 & 0xff),
               .value = sized ? u16{0} : half,
               .payload = sized ? ByteSpan(p + kRecordHeaderSize, payload) : ByteSpan{},
               .offset = cursor_};
    cursor_ += kRecordHeaderSize + payload;
    return true;
  }
  // Returns the record that next() has read; and its bytes.
  [[nodiscard]] const AttributeRecord<Attribute> &record() const { return record_; }
  [[nodiscard]] ByteSpan bytes() const {
    return section_.subspan(record_.offset, cursor_ - record_.offset);
  }
  // The offset of the next record.
  [[nodiscard]] u64 offset() const { return cursor_; }
  [[nodiscard]] ByteSpan rest() const { return section_.subspan(cursor_); }
  // Returns the reason why rest() could not be read. Precondition: rest() is not empty.
  [[nodiscard]] Violation problem() const { return framing_problem(section_, cursor_); }

private:
  ByteSpan section_;
  u64 cursor_;
  AttributeRecord<Attribute> record_;
};

// A range over the records of a section with checked framing, decoded during iteration without an
// allocation. (If the framing is damaged: the records before the first problem.)
template <typename Attribute> class AttributeRange {
public:
  AttributeRange() = default;
  explicit AttributeRange(ByteSpan section) : section_(section) {}

  class Iterator {
  public:
    explicit Iterator(ByteSpan section) : reader_(section) { ++*this; }
    [[nodiscard]] const AttributeRecord<Attribute> &operator*() const { return reader_.record(); }
    Iterator &operator++() {
      more_ = reader_.next();
      return *this;
    }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const { return !more_; }

  private:
    RecordReader<Attribute> reader_;
    bool more_ = false;
  };

  [[nodiscard]] ByteSpan bytes() const { return section_; }
  [[nodiscard]] Iterator begin() const { return Iterator(section_); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

private:
  ByteSpan section_;
};

// Precondition: payload.size() <= 0xffff (a larger one is cut at the last multiple of 4 below).
void append_raw_record(std::vector<u8> &out, const AttributeRecord<u8> &record);

template <typename Attribute>
void append_record(std::vector<u8> &out, const AttributeRecord<Attribute> &record) {
  append_raw_record(out, {record.format, static_cast<u8>(record.attribute), record.value,
                          record.payload, record.offset});
}

template <typename Attribute>
[[nodiscard]] AttributeSection<Attribute> decode_attributes(ByteSpan section) {
  AttributeSection<Attribute> out;
  RecordReader<Attribute> reader(section);
  while (reader.next())
    out.records.push_back(reader.record());
  out.rest = reader.rest();
  if (!out.rest.empty())
    out.violations.push_back(reader.problem());
  return out;
}

template <typename Attribute>
[[nodiscard]] std::vector<u8> encode_attributes(const AttributeSection<Attribute> &section) {
  std::vector<u8> out;
  for (const AttributeRecord<Attribute> &record : section.records)
    append_record(out, record);
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
