// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opcodes of SASS as rows. The low 9 bits of an instruction are the operation, the 3 bits above
// them say where its operands come from: registers, an immediate value, a constant bank. The rows
// were found by comparing what nvlink writes for programs that do and do not have an instruction.
#include "arch/instructions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"

namespace culink::arch {
namespace {

constexpr u16 kOperation = 0x1ff, kOperationAndForm = 0xfff;

constexpr std::array<InstructionInfo, 9> kInstructions{{
    {"DMUL", 0x028, kOperation, true},
    {"DADD", 0x029, kOperation, true},
    {"DSETP", 0x02a, kOperation, true},
    {"DFMA", 0x02b, kOperation, true},
    {"IMMA", 0x037, kOperation, true},
    {"DMMA", 0x03f, kOperation, true},
    {"FSETP with a constant", 0x80b, kOperationAndForm, true},
    {.name = "PREEXIT", .opcode = 0x82d, .mask = kOperationAndForm, .starts_dependents = true},
    {"LDC", 0xb82, kOperationAndForm, false, true},
}};

// SHF with a constant shifts two words and gives one of them.
constexpr u16 kShift = 0x819;
constexpr u32 kLowWordByte = kSourceByte, kHighWordByte = 8, kKindByte = 9, kHalfByte = 10;
constexpr u8 kRightUnsigned = 0x16, kHighHalf = 1, kNoRegister = 0xff;

// IADD3 adds three values, of which the last may be none, and says which carries it writes. The
// low bit of the kind is a sign that IADD has, too.
constexpr u16 kSumOfThree = 0x010, kSumOfTwo = 0x035;
constexpr u8 kNoCarriesIn = 0xe0, kNoCarriesOut = 0xff, kSumOfTwoHalf = 0x8e, kSign = 1;

bool is_sum(ByteSpan code, u16 operation) {
  return (load_le<u16>(code.data()) & kOperation) == operation;
}

// The operation and its operands, in the spelling that reads the low word, or adds two values.
using PlainInstruction = std::array<u8, 14>;
PlainInstruction without_schedule(ByteSpan code) {
  PlainInstruction out{};
  std::copy_n(code.begin(), out.size(), out.begin());
  out.back() &= 1; // the schedule has all other bits from here on
  if (is_sum(code, kSumOfThree) && out[kHighWordByte] == kNoRegister &&
      (out[kKindByte] | kSign) == (kNoCarriesIn | kSign) && out[kHalfByte] == kNoCarriesOut) {
    out[0] = kSumOfTwo;
    out[kHighWordByte] = 0;
    out[kKindByte] &= kSign;
    out[kHalfByte] = kSumOfTwoHalf;
  }
  if ((load_le<u16>(code.data()) & kOperationAndForm) == kShift &&
      out[kKindByte] == kRightUnsigned && out[kLowWordByte] == kNoRegister &&
      out[kHalfByte] == kHighHalf) {
    std::swap(out[kLowWordByte], out[kHighWordByte]);
    out[kHalfByte] = 0;
  }
  return out;
}

} // namespace

std::span<const InstructionInfo> known_instructions() {
  return kInstructions;
}

const InstructionInfo *find_instruction(ByteSpan code) {
  if (code.size() < kInstructionSize)
    return nullptr;
  const u16 bits = load_le<u16>(code.data());
  for (const InstructionInfo &row : kInstructions)
    if ((bits & row.mask) == row.opcode)
      return &row;
  return nullptr;
}

bool is_other_spelling(ByteSpan a, ByteSpan b) {
  return a.size() >= kInstructionSize && b.size() >= kInstructionSize &&
         ((load_le<u16>(a.data()) & kOperationAndForm) == kShift || is_sum(a, kSumOfThree) ||
          is_sum(a, kSumOfTwo)) &&
         without_schedule(a) == without_schedule(b);
}

} // namespace culink::arch
