// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.capmerc.text.<function> (sm_100 and later): the Mercury form of a function as a difference to
// its SASS. Header: u32 section index of .text.<function>, u32 magic, u32 instruction count, one
// bit per instruction (set: it is recovered from SASS, it has no record). Then the records.
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
  u32 instruction = 0; // Mercury instruction it belongs to; of SassOnly: the one it precedes
  u64 machine = 0;     // number of its machine instruction; of a Directive: the next one
  u64 offset = 0;      // in the section
  ByteSpan bytes;      // of the whole record, in the section

  [[nodiscard]] bool has_machine_instruction() const {
    return kind != CapsuleRecordKind::SassOnly && kind != CapsuleRecordKind::Directive;
  }
  // The number of SASS instructions that a SassOnly or End record counts; else 0.
  [[nodiscard]] u32 sass_count() const;
};

struct Capsule {
  bool has_header = false; // false when the section is too short for one: then all is in `rest`
  u32 text_section = 0;    // the only word a linker rewrites
  u32 magic = kCapsuleMagic;
  u32 instruction_count = 0;
  std::vector<u32> mask; // bit i of word i / 32
  std::vector<CapsuleRecord> records;
  u64 machine_count = 0; // machine instructions it speaks of, padding included
  ByteSpan rest;
  std::vector<Violation> violations;
  bool has_unknown_record = false; // then it is where reading ended

  // True if instruction i has no record. Precondition: i < instruction_count.
  [[nodiscard]] bool recovered(u32 i) const { return ((mask[i / 32] >> (i % 32)) & 1) != 0; }
};

[[nodiscard]] Capsule decode_capsule(ByteSpan section);
// Numbers of the machine instructions that correspond to the Mercury instructions, in order.
[[nodiscard]] std::vector<u64> machine_instructions(const Capsule &capsule);
[[nodiscard]] std::vector<u8> encode_capsule(const Capsule &capsule);

// True if capsules of an object have the form of toolkit 12.8, which only engines of later toolkits
// can read. Toolkits 12.8 and 12.9 have a note of their own.
[[nodiscard]] bool has_older_capsules(const ElfView &object);

} // namespace culink::elf
