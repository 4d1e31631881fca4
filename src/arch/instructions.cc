// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opcodes of SASS as rows. The low 9 bits of an instruction are the operation, the 3 bits above
// them say where its operands come from: registers, an immediate value, a constant bank. The rows
// were found by comparing what nvlink writes for programs that do and do not have an instruction.
#include "arch/instructions.h"

#include <array>

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

} // namespace culink::arch
