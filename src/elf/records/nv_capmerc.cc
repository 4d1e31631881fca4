// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of a capsule, as far as a walk needs it: every instruction with a clear mask bit has
// one record, whose first byte determines its length; SassOnly prefixes precede a record and are
// not instructions. The bits of instructions are opaque here; only the finalizer interprets them.
//
// What may surprise: ptxas -O3 adds directives to kernels with "cutlass" in their names. They have
// mask bits and records like Mercury instructions and are included in their number, but have no
// machine instruction.
#include "elf/records/nv_capmerc.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink::elf {

namespace {

constexpr u64 kHeaderSize = 12;
constexpr u8 kEvenBit = 0x80; // in a record with a count: 2n and not 2n - 1

struct RecordLayout {
  CapsuleRecordKind kind;
  u64 size;
};

std::optional<RecordLayout> layout_of(u8 first) {
  if (first == 0x01 || first == 0x02)
    return RecordLayout{CapsuleRecordKind::Instruction, u64{first} * 16};
  if ((first & 0xf0) == 0x40)
    return RecordLayout{CapsuleRecordKind::Short, 4};
  if (first == 0x31)
    return RecordLayout{CapsuleRecordKind::Directive, 16};
  if ((first & 0x7f) == 0x51)
    return RecordLayout{CapsuleRecordKind::SassOnly, 2};
  if ((first & 0x7f) == 0x50)
    return RecordLayout{CapsuleRecordKind::End, 2};
  return std::nullopt;
}

// Reads the record at `at` for instruction `i`. Returns false, with a violation, if it is invalid.
bool read_record(ByteSpan section, u64 at, u32 i, Capsule &out) {
  if (at == section.size()) {
    out.violations.push_back({at, fmt::format("the record of instruction {} is missing", i)});
    return false;
  }
  const std::optional<RecordLayout> layout = layout_of(section[at]);
  if (!layout) {
    out.has_unknown_record = true;
    out.violations.push_back(
        {at, fmt::format("record byte {:#04x} of instruction {} is not known", section[at], i)});
    return false;
  }
  const std::optional<ByteSpan> bytes = slice(section, at, layout->size);
  if (!bytes) {
    out.violations.push_back({at, fmt::format("the record of instruction {} is cut off", i)});
    return false;
  }
  const CapsuleRecord record = {layout->kind, i, out.machine_count, at, *bytes};
  out.machine_count += record.sass_count() + (record.has_machine_instruction() ? 1 : 0);
  out.records.push_back(record);
  return true;
}

// Reads the records from `at` on. Returns the offset where reading ended.
u64 read_records(ByteSpan section, u64 at, Capsule &out) {
  for (u32 i = 0; i < out.instruction_count; ++i) {
    if (out.recovered(i)) {
      ++out.machine_count;
      continue;
    }
    do {
      if (!read_record(section, at, i, out))
        return at;
      at += out.records.back().bytes.size();
    } while (out.records.back().kind == CapsuleRecordKind::SassOnly);
  }
  if (at != section.size())
    out.violations.push_back(
        {at, fmt::format("{} bytes after the last record", section.size() - at)});
  return at;
}

} // namespace

u32 CapsuleRecord::sass_count() const {
  if (kind != CapsuleRecordKind::SassOnly && kind != CapsuleRecordKind::End)
    return 0;
  const u32 pairs = 2u * bytes[1];
  if ((bytes[0] & kEvenBit) != 0)
    return pairs;
  return pairs == 0 ? 0 : pairs - 1;
}

Capsule decode_capsule(ByteSpan section) {
  Capsule out;
  out.rest = section;
  if (section.size() < kHeaderSize) {
    out.violations.push_back({0, fmt::format("{} bytes, a header has 12", section.size())});
    return out;
  }
  const u32 count = load_le<u32>(section.data() + 8);
  const u64 mask_words = (u64{count} + 31) / 32;
  const std::optional<ByteSpan> mask = slice(section, kHeaderSize, mask_words * 4);
  if (!mask) {
    out.violations.push_back(
        {8, fmt::format("the mask of {} instructions ends outside the section", count)});
    return out;
  }
  out.has_header = true;
  out.text_section = load_le<u32>(section.data());
  out.magic = load_le<u32>(section.data() + 4);
  out.instruction_count = count;
  if (out.magic != kCapsuleMagic)
    out.violations.push_back(
        {4, fmt::format("the second word is {:#x}, not 0xc0000001", out.magic)});
  out.mask = load_rows<u32>(*mask);
  out.rest = section.subspan(read_records(section, kHeaderSize + mask->size(), out));
  return out;
}

std::vector<u64> machine_instructions(const Capsule &capsule) {
  std::vector<u64> out;
  u64 next = 0;
  for (const CapsuleRecord &record : capsule.records) {
    while (next < record.machine)
      out.push_back(next++);
    if (record.has_machine_instruction())
      out.push_back(next++);
    next += record.sass_count();
  }
  while (next < capsule.machine_count)
    out.push_back(next++);
  return out;
}

std::vector<u8> encode_capsule(const Capsule &capsule) {
  std::vector<u8> out;
  if (capsule.has_header) {
    append_le(out, capsule.text_section);
    append_le(out, capsule.magic);
    append_le(out, capsule.instruction_count);
    append_rows(out, capsule.mask);
  }
  for (const CapsuleRecord &record : capsule.records)
    append_bytes(out, record.bytes);
  append_bytes(out, capsule.rest);
  return out;
}

bool has_older_capsules(const ElfView &object) {
  return object.find(".note.nv.cuver") &&
         std::ranges::any_of(object.sections(), [](const Section &section) {
           return section.type == SectionType::CudaCapmerc &&
                  !decode_capsule(section.data).violations.empty();
         });
}

} // namespace culink::elf
