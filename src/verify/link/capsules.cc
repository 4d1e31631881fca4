// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capsules of an output. A capsule is the one of the prevailing definition, with two exceptions:
// its first word is the number of the code section in the output; and if it contains a whole
// instruction with a relocated field, the last word of the record is the value in the machine code.
// So both forms of the code have the same offsets.
//
// A finalizer may have added or removed instructions. The capsule then has other instruction
// numbers, for the same Mercury instructions.
#include <algorithm>
#include <unordered_map>

#include "elf/records/nv_capmerc.h"
#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

namespace {

ByteSpan capsule_in(const Link &sass, const CodePlace &code) {
  return sass.planes[code.object].section(code.section).data;
}
ByteSpan capsule_out(const Link &sass, const CodePlace &code) {
  return sass.out_plane->section(code.out).data;
}

// Returns by number of a machine instruction the offset of the last word of its record.
std::unordered_map<u64, u64> value_words(ByteSpan capsule) {
  std::unordered_map<u64, u64> out;
  for (const elf::CapsuleRecord &record : elf::decode_capsule(capsule).records)
    if (record.kind == elf::CapsuleRecordKind::Instruction)
      out.emplace(record.machine, record.offset + record.bytes.size() - sizeof(u32));
  return out;
}

// Returns the expected capsule. Bytes that cannot be known are copied from the output.
std::vector<u8> expected_capsule(const Link &sass, const CodePlace &code, ByteSpan capsule,
                                 ByteSpan found) {
  std::vector<u8> out(capsule.begin(), capsule.end());
  store_le<u32>(out.data(), code.out);
  const Object &object = sass.program.objects[code.object];
  std::unordered_map<u64, u64> words;
  object.each_relocation(code.section, [&](const elf::Relocation &raw, bool rela) {
    const arch::RelocInfo *row = arch::find_reloc(raw.type);
    const Target target = target_of(sass, code.object, raw.symbol, sass.calls.node_of[code.entity]);
    const Treatment treatment = treatment_of(sass, target, raw.type, row);
    const bool filled = is_filled_by_engine(sass, treatment, rela);
    if (!row || (treatment != Treatment::Folded && !filled))
      return;
    if (words.empty())
      words = value_words(capsule);
    const auto word = words.find(raw.offset / arch::kInstructionSize);
    if (word == words.end())
      return;
    const u64 size = arch::is_short_in_capsule(*row) ? sizeof(u16) : sizeof(u32);
    const u64 value = target.value + target.shift + static_cast<u64>(raw.addend);
    const bool unknown = filled || target.unknown || target.kind == TargetKind::Image;
    for (u64 b = 0; b < size; ++b)
      out[word->second + b] = unknown ? found[word->second + b] : static_cast<u8>(value >> (8 * b));
  });
  return out;
}

// True if the machine code has the same operations in the same order.
bool same_sequence(const Link &sass, const CodePlace &code) {
  constexpr u16 kOperation = 0xfff;
  const ByteSpan in = sass.program.objects[code.object].section(code.section).data;
  const ByteSpan out = sass.out.section(code.out).data;
  for (u64 at = 0; at + arch::kInstructionSize <= in.size(); at += arch::kInstructionSize) {
    const auto a = load_at<u16>(in, at), b = load_at<u16>(out, at);
    if (!a || !b || ((*a ^ *b) & kOperation) != 0)
      return false;
  }
  return in.size() == out.size();
}

// Returns the machine instructions made from Mercury instructions, except those that only wait. If
// a Mercury instruction has several, it is the last one.
std::vector<u64> lasting_instructions(const elf::Capsule &capsule) {
  std::vector<u64> out = elf::machine_instructions(capsule);
  for (const elf::CapsuleRecord &record : capsule.records)
    if (record.kind == elf::CapsuleRecordKind::End && record.sass_count() == 0 &&
        record.instruction + 1 < capsule.instruction_count)
      std::erase(out, record.machine);
  return out;
}

// True if the capsule of changed code refers to the same machine instructions at their new places.
// restore.cc compares the instructions with the definition. An instruction that does nothing may be
// replaced by another one.
bool same_instructions(const Link &sass, const CodePlace &code) {
  const elf::Capsule before = elf::decode_capsule(capsule_in(sass, code));
  const elf::Capsule after = elf::decode_capsule(capsule_out(sass, code));
  if (!after.violations.empty())
    return false;
  const std::vector<u64> from = lasting_instructions(before), to = lasting_instructions(after);
  const std::vector<u32> &place = code.restored.place;
  for (size_t i = 0; i < from.size() && i < to.size(); ++i)
    if (place.empty()
            ? from[i] != to[i]
            : from[i] < place.size() && place[from[i]] != kNone && place[from[i]] != to[i])
      return false;
  return from.size() == to.size();
}

// True if an operation in the machine code was changed, which the capsule then records.
bool is_changed(const Link &sass, const CodePlace &code) {
  return sass.options.finalized && (!code.restored.code.empty() || !same_sequence(sass, code));
}

// True for capsules of toolkit 12.8, which cannot be read; an engine of toolkit 13 rewrites them.
bool has_older_form(const Link &sass, const CodePlace &code) {
  return sass.program.objects[code.object].view.find(".note.nv.cuver") &&
         !elf::decode_capsule(capsule_in(sass, code)).violations.empty();
}

} // namespace

void check_capsules(const Link &sass, Report &report) {
  for (const CodePlace &code : sass.code) {
    const ByteSpan in = capsule_in(sass, code), found = capsule_out(sass, code);
    const auto differ = [&](u64 offset, std::string expected, std::string is) {
      report.add(FindingKind::Bytes, sass.program.entities[code.entity].name,
                 ".nv.capmerc" + std::string(sass.out.section(code.out).name), offset,
                 std::move(expected), std::move(is));
    };
    if (in.size() < sizeof(u32) || found.size() < sizeof(u32)) {
      differ(0, "a capsule", "none");
      continue;
    }
    if (sass.options.finalized && has_older_form(sass, code)) {
      if (load_le<u32>(found.data()) != code.out || !elf::decode_capsule(found).violations.empty())
        differ(0, "a capsule of toolkit 13", "another one");
      continue;
    }
    if (is_changed(sass, code)) {
      if (load_le<u32>(found.data()) != code.out || !same_instructions(sass, code))
        differ(0, "the Mercury instructions of the definition", "others");
      continue;
    }
    if (in.size() != found.size()) {
      differ(0, hex(in.size()) + " bytes", hex(found.size()));
      continue;
    }
    const std::vector<u8> expected = expected_capsule(sass, code, in, found);
    const auto [e, f] = std::mismatch(expected.begin(), expected.end(), found.begin());
    if (e == expected.end())
      continue;
    const u64 at = static_cast<u64>(e - expected.begin());
    const u64 size = std::min<u64>(expected.size() - at, 8);
    differ(at, bytes_text(ByteSpan(expected).subspan(at, size)),
           bytes_text(found.subspan(at, size)));
  }
}

} // namespace culink::check
