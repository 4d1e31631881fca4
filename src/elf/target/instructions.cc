// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opcodes of SASS as rows. The low 9 bits of an instruction are the operation; the 3 bits above
// them give the source of its operands: registers, an immediate value, a constant bank. The rows
// were found by comparing nvlink's output for programs with and without an instruction.
#include "elf/target/instructions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/bytes.h"

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

// SHF with a constant shifts a pair of words and returns one of them.
constexpr u16 kShift = 0x819;
constexpr u32 kLowWordByte = kSourceByte, kHighWordByte = 8, kKindByte = 9, kHalfByte = 10;
constexpr u8 kRightUnsigned = 0x16, kHighHalf = 1, kNoRegister = 0xff;

// IADD3 adds three values, of which the last may be absent, and up to two carries, and writes up to
// two carries. IADD adds two values and one carry, with the common fields in the same bits.
constexpr u16 kSumOfThree = 0x010, kSumOfTwo = 0x035;
constexpr u8 kNoSecondCarryIn = 0xe0, kKindOfSum = 0x05; // a sign, and the presence of a carry
constexpr u8 kNoSecondCarry = 0x71, kFirstCarries = 0x8e;

// VIADD adds two values without carries. On sm_107 it has a flag for words (VIADD.S32).
constexpr u16 kPlainSum = 0x036;
constexpr u8 kSumOfWords = 0x04;

bool is_sum(ByteSpan code, u16 operation) {
  return (load_le<u16>(code.data()) & kOperation) == operation;
}

// The operation and its operands, normalised to the spelling that reads the low word or adds two
// values.
using PlainInstruction = std::array<u8, 14>;
PlainInstruction without_schedule(ByteSpan code) {
  PlainInstruction out{};
  std::copy_n(code.begin(), out.size(), out.begin());
  out.back() &= 1; // all higher bits belong to the schedule
  if (is_sum(code, kSumOfThree) && out[kHighWordByte] == kNoRegister &&
      (out[kKindByte] | kKindOfSum) == (kNoSecondCarryIn | kKindOfSum) &&
      (out[kHalfByte] & kNoSecondCarry) == kNoSecondCarry) {
    out[0] = kSumOfTwo;
    out[kHighWordByte] = 0;
    out[kKindByte] &= kKindOfSum;
    out[kHalfByte] &= kFirstCarries;
  }
  if (is_sum(code, kPlainSum))
    out[kKindByte] &= static_cast<u8>(~kSumOfWords);
  if ((load_le<u16>(code.data()) & kOperationAndForm) == kShift &&
      out[kKindByte] == kRightUnsigned && out[kLowWordByte] == kNoRegister &&
      out[kHalfByte] == kHighHalf) {
    std::swap(out[kLowWordByte], out[kHighWordByte]);
    out[kHalfByte] = 0;
  }
  return out;
}

constexpr u16 kNoOperation = 0x918, kUniformMove = 0xc82;
constexpr u8 kPredicate = 0xf0, kNever = 0xf0; // of the second byte
constexpr u16 kMemoryBarrier = 0x992, kErrorBarrier = 0x9ab, kClusterErrorBarrier = 0x5ab;
constexpr u8 kEndOfKernelScope = 0x50; // the strongest order, which only code for debuggers has

u16 operation_of(ByteSpan code) {
  return static_cast<u16>(load_le<u16>(code.data()) & kOperationAndForm);
}

// Distances are in words. BSSY has all bits in one field; BRA has the lowest ones in another field.
struct BranchInfo {
  u16 opcode;
  u32 low_bits;
};
constexpr u32 kLowBitsAt = 16, kHighBitsAt = 34, kHighBits = 30, kWordSize = 4;
constexpr u32 kMoreBits = 18; // bits in the second half of an instruction, if there is a low field
constexpr u16 kCall = 0x944, kCallOfPointer = 0x344;
constexpr std::array<BranchInfo, 10> kBranches{{{0x945, 0}, // BSSY
                                                {0x947, 8}, // BRA
                                                {0x547, 8}, // BRA.U
                                                {0x949, 8}, // BRX
                                                {0x958, 8}, // BRXU
                                                {kCall, 8}, // CALL.REL
                                                {kCallOfPointer, 8},
                                                {0x950, 8},   // RET.REL
                                                {0x348, 8},   // WARPSYNC.COLLECTIVE
                                                {0x948, 8}}}; // WARPSYNC.COLLECTIVE for all threads
constexpr u16 kMoveOfConstant = 0x802;

const BranchInfo *find_branch(ByteSpan code) {
  if (code.size() < kInstructionSize)
    return nullptr;
  const auto row = std::find_if(kBranches.begin(), kBranches.end(), [&](const BranchInfo &branch) {
    return branch.opcode == operation_of(code);
  });
  return row == kBranches.end() ? nullptr : &*row;
}

constexpr u64 low_mask(u32 bits) {
  return (u64{1} << bits) - 1;
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
          is_sum(a, kSumOfTwo) || is_sum(a, kPlainSum)) &&
         without_schedule(a) == without_schedule(b);
}

bool is_same_instruction(ByteSpan a, ByteSpan b) {
  return a.size() >= kInstructionSize && b.size() >= kInstructionSize &&
         without_schedule(a) == without_schedule(b);
}

bool does_nothing(ByteSpan code) {
  if (code.size() < kInstructionSize)
    return false;
  constexpr u32 kCopiedByte = 4;
  return operation_of(code) == kNoOperation || (code[1] & kPredicate) == kNever ||
         (operation_of(code) == kUniformMove && code[kDestinationByte] == code[kCopiedByte]);
}

Barrier barrier_of(ByteSpan code) {
  if (code.size() < kInstructionSize)
    return Barrier::None;
  switch (operation_of(code)) {
  case kMemoryBarrier:
    return code[kKindByte] == kEndOfKernelScope ? Barrier::EndOfKernel : Barrier::Memory;
  case kErrorBarrier:
  case kClusterErrorBarrier:
    return Barrier::ReportErrors;
  default:
    return Barrier::None;
  }
}

bool is_local_call(ByteSpan code) {
  return code.size() >= kInstructionSize &&
         (operation_of(code) == kCall || operation_of(code) == kCallOfPointer);
}

std::optional<u32> moved_constant(ByteSpan code) {
  if (code.size() < kInstructionSize || operation_of(code) != kMoveOfConstant)
    return std::nullopt;
  return load_le<u32>(code.data() + kConstantByte);
}

std::optional<i64> branch_distance(ByteSpan code) {
  const BranchInfo *row = find_branch(code);
  if (!row)
    return std::nullopt;
  const u64 first = load_le<u64>(code.data()), second = load_le<u64>(code.data() + sizeof(u64));
  u64 words = first >> kHighBitsAt;
  u32 bits = kHighBits;
  if (row->low_bits != 0) {
    words |= (second & low_mask(kMoreBits)) << kHighBits;
    words = words << row->low_bits | ((first >> kLowBitsAt) & low_mask(row->low_bits));
    bits += kMoreBits + row->low_bits;
  }
  const u32 unused = 64 - bits;
  return (static_cast<i64>(words << unused) >> unused) * kWordSize;
}

void set_branch_distance(std::span<u8> code, i64 distance) {
  const u32 low_bits = find_branch(code)->low_bits;
  const u64 words = static_cast<u64>(distance / kWordSize), high = words >> low_bits;
  u64 first = load_le<u64>(code.data()), second = load_le<u64>(code.data() + sizeof(u64));
  first = (first & low_mask(kHighBitsAt)) | (high << kHighBitsAt);
  if (low_bits != 0) {
    first &= ~(low_mask(low_bits) << kLowBitsAt);
    first |= (words & low_mask(low_bits)) << kLowBitsAt;
    second = (second & ~low_mask(kMoreBits)) | ((high >> kHighBits) & low_mask(kMoreBits));
  }
  store_le<u64>(code.data(), first);
  store_le<u64>(code.data() + sizeof(u64), second);
}

} // namespace culink::arch
