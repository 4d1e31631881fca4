// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few SASS instructions (sm_70 and later, 16 bytes each) that a linker has to recognize. It
// treats all other code as opaque bytes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "support/types.h"

namespace culink::arch {

inline constexpr u64 kInstructionSize = 16;
// The bytes of an instruction with its destination register and its first source register.
inline constexpr u32 kDestinationByte = 2, kSourceByte = 3;
// The byte at which an instruction has a constant of four bytes, if any.
inline constexpr u32 kConstantByte = 4;

struct InstructionInfo {
  std::string_view name;
  u16 opcode;
  u16 mask;                       // of the identifying bits: the operation, or also its form
  bool limits_fastpath = false;   // clears a bit of .nv.compat attribute 0x0b on sm_100
  bool loads_from_bank_0 = false; // c[0][register + offset]
  bool starts_dependents = false; // lets the next kernel start
};

[[nodiscard]] std::span<const InstructionInfo> known_instructions();

// Returns the row of an instruction; null for instructions without a row, or for less than 16
// bytes.
[[nodiscard]] const InstructionInfo *find_instruction(ByteSpan code);

// True if both instructions are spellings of one operation, ignoring schedules: some engines write
// SHF.R.U32.HI d, RZ, n, s as SHF.R.U32 d, s, n, RZ, others IADD3 d, a, b, RZ as IADD d, a, b, and
// VIADD as VIADD.S32.
[[nodiscard]] bool is_other_spelling(ByteSpan a, ByteSpan b);

// True if both instructions are equal, or spellings of one operation, ignoring schedules.
[[nodiscard]] bool is_same_instruction(ByteSpan a, ByteSpan b);

// True if an instruction has no effect: NOP, one with a false predicate, a copy of a uniform
// register to itself. Engines insert and remove such instructions.
[[nodiscard]] bool does_nothing(ByteSpan code);

enum class Barrier : u8 {
  None,
  Memory,       // MEMBAR, of any scope
  EndOfKernel,  // MEMBAR.SC.VC, before the end of code for debuggers
  ReportErrors, // ERRBAR, CGAERRBAR
};
[[nodiscard]] Barrier barrier_of(ByteSpan code);

// True for a call within the section of the instruction.
[[nodiscard]] bool is_local_call(ByteSpan code);

// The constant that MOV writes into a register; nothing for other instructions.
[[nodiscard]] std::optional<u32> moved_constant(ByteSpan code);

// The distance of a branch in bytes from the next instruction; nothing for other instructions.
// Computed branches and returns add a register to that.
[[nodiscard]] std::optional<i64> branch_distance(ByteSpan code);
// Precondition: it is a branch.
void set_branch_distance(std::span<u8> code, i64 distance);

} // namespace culink::arch
