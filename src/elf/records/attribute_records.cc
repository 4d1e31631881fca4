// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Framing of attribute records. Only the format byte determines the length of a record, so an
// unknown attribute can be skipped, while an unknown format ends the reading: the start of the next
// record is not known. A sized record is followed immediately by the next one, even if its size is
// not a multiple of 4: nvlink 13.0 reads such a record correctly, and crashes if padding follows
// it. Its own tools include the padding in the size.
#include "elf/records/attribute_records.h"

#include "support/bytes.h"

#include <fmt/format.h>

namespace culink::elf {

namespace {

constexpr u64 kMaxPayload = 0xffff;

} // namespace

Violation framing_problem(ByteSpan section, u64 offset) {
  const ByteSpan left = section.subspan(offset);
  if (left.size() < kRecordHeaderSize)
    return {offset, fmt::format("{} trailing bytes, a record has at least 4", left.size())};
  if (!is_record_format(left[0]))
    return {offset, fmt::format("record format {} is not known", left[0])};
  return {offset, fmt::format("a payload of {} bytes ends outside the section, {} are left",
                              load_le<u16>(left.data() + 2), left.size() - kRecordHeaderSize)};
}

void append_raw_record(std::vector<u8> &out, const AttributeRecord<u8> &record) {
  append_le<u8>(out, static_cast<u8>(record.format));
  append_le<u8>(out, record.attribute);
  if (!record.sized()) {
    append_le<u16>(out, record.value);
    return;
  }
  const u64 size = record.payload.size() <= kMaxPayload ? record.payload.size() : kMaxPayload - 3;
  append_le<u16>(out, static_cast<u16>(size));
  append_bytes(out, record.payload.first(size));
}

} // namespace culink::elf
