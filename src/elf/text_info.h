// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values packed into sh_flags and sh_info of .text.<function>.
#pragma once

#include "elf/constants.h"

namespace culink::elf {

// Number of named barriers in sh_flags of .text.<function>, in files of the old ABI (version 7).
// Later files have a NUM_BARRIERS record instead.
inline constexpr u64 kTextBarrierMask = 0x07f00000;
inline constexpr u32 kTextBarrierShift = 20;

[[nodiscard]] constexpr u32 text_barriers(u64 sh_flags) {
  return static_cast<u32>((sh_flags & kTextBarrierMask) >> kTextBarrierShift);
}

// Register count in sh_info of .text.<function>, above the number of the function's symbol, in
// files of sm_89 and older; else 0. A REGCOUNT record takes precedence.
inline constexpr u32 kTextRegisterShift = 24;

[[nodiscard]] constexpr u32 text_registers(u32 sh_info) {
  return sh_info >> kTextRegisterShift;
}

} // namespace culink::elf
