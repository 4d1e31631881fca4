// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.capmerc.text.<function> (sm_100 and later): the Mercury form of a function as a difference to
// its SASS. Header: u32 section index of .text.<function>, u32 magic, u32 instruction count, one
// bit per instruction (set: recovered from SASS, without a record). Then the records.
#pragma once

#include <vector>

#include "elf/codec.h"
#include "elf/elf_view.h"

namespace culink::elf {

inline constexpr u32 kCapsuleMagic = 0xc0000001;

enum class CapsuleRecordKind : u8 {
  SassOnly,    // 51 n, d1 n: the next 2n-1 or 2n SASS instructions have no Mercury counterpart
  Instruction, // 01, 02: a whole instruction, 16 or 32 bytes
  Short,       // 4x: four bytes
  Directive,   // 31: 16 bytes, counted as an instruction, but without machine code
  End,         // 50 n, d0 n: the final self-branch, followed by 2n-1 or 2n padding instructions
};

struct CapsuleRecord {
  CapsuleRecordKind kind = CapsuleRecordKind::Short;
  u32 instruction = 0; // the Mercury instruction of the record; for SassOnly: the next one
  u64 machine = 0;     // number of its machine instruction; for a Directive: the next one
  u64 offset = 0;      // in the section
  ByteSpan bytes;      // of the whole record, in the section

  [[nodiscard]] bool has_machine_instruction() const {
    return kind != CapsuleRecordKind::SassOnly && kind != CapsuleRecordKind::Directive;
  }
  // Returns the number of SASS instructions of a SassOnly or End record; else 0.
  [[nodiscard]] u32 sass_count() const;
};

struct Capsule {
  bool has_header = false; // false if the section is too short: then all is in `rest`
  u32 text_section = 0;    // the only word a linker rewrites
  u32 magic = kCapsuleMagic;
  u32 instruction_count = 0;
  std::vector<u32> mask; // bit i of word i / 32
  std::vector<CapsuleRecord> records;
  u64 machine_count = 0; // number of machine instructions, including padding
  ByteSpan rest;
  std::vector<Violation> violations;
  bool has_unknown_record = false; // true if reading ended at an unknown record

  // True if instruction i has no record. Precondition: i < instruction_count.
  [[nodiscard]] bool recovered(u32 i) const { return ((mask[i / 32] >> (i % 32)) & 1) != 0; }
};

[[nodiscard]] Capsule decode_capsule(ByteSpan section);
// Returns the machine instructions that correspond to the Mercury instructions, in order, by
// number.
[[nodiscard]] std::vector<u64> machine_instructions(const Capsule &capsule);
[[nodiscard]] std::vector<u8> encode_capsule(const Capsule &capsule);

// True if the capsules of an object have the format of toolkit 12.8, which only engines of later
// toolkits can read. A note identifies toolkits 12.8 and 12.9.
[[nodiscard]] bool has_older_capsules(const ElfView &object);

} // namespace culink::elf
