// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv_debug_info_reg_sass and its Mercury form: the registers of variables, with the code ranges in
// which they are valid. One block for each function: its name, u32 count, then `count` times (u32,
// name of a variable, u32 register, u32 start, u32 end).
#pragma once

#include <string_view>
#include <vector>

#include "support/types.h"

namespace culink::elf {

struct RegisterBlock {
  struct Record {
    u32 number;     // register number
    u32 start, end; // offsets in the code
    u64 offset;     // of `start` in the section; `end` follows it
  };
  std::string_view function;
  u64 offset = 0; // in the section
  ByteSpan bytes; // starts at the name
  std::vector<Record> records;
};

// Returns all blocks up to the first damaged one.
[[nodiscard]] std::vector<RegisterBlock> split_registers(ByteSpan section);

} // namespace culink::elf
