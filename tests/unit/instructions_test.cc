// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/instructions.h"

#include <array>
#include <gtest/gtest.h>

#include "arch/arch.h"

namespace culink::arch {
namespace {

std::array<u8, 16> instruction(u16 bits) {
  return {static_cast<u8>(bits), static_cast<u8>(bits >> 8)};
}

TEST(Instructions, EveryRowIsFoundByItsOpcode) {
  for (const InstructionInfo &row : known_instructions()) {
    SCOPED_TRACE(std::string(row.name));
    EXPECT_EQ(row.opcode & ~row.mask, 0);
    EXPECT_EQ(find_instruction(instruction(row.opcode)), &row);
    EXPECT_TRUE(row.limits_fastpath || row.loads_from_bank_0 || row.starts_dependents)
        << "a row of no use";
  }
}

TEST(Instructions, PredicatesAndFormsDoNotHideTheOperation) {
  EXPECT_EQ(find_instruction(instruction(0x7e28))->name, "DMUL");
  EXPECT_EQ(find_instruction(instruction(0x7b82))->name, "LDC");
  EXPECT_EQ(find_instruction(instruction(0x0182)), nullptr); // another form than LDC's
}

TEST(Instructions, OtherCodeIsNotKnown) {
  EXPECT_EQ(find_instruction(kNop), nullptr);
  EXPECT_EQ(find_instruction(ByteSpan(kNop).first(15)), nullptr);
  EXPECT_EQ(find_instruction({}), nullptr);
}

} // namespace
} // namespace culink::arch
