// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values packed into header fields: sh_flags and sh_info of .text.<function>, st_other.
#pragma once

#include "elf/constants.h"

namespace culink::elf {

// Named barriers in sh_flags of .text.<function>, in files of the old ABI (version 7). Later ones
// have a NUM_BARRIERS record.
inline constexpr u64 kTextBarrierMask = 0x07f00000;
inline constexpr u32 kTextBarrierShift = 20;

[[nodiscard]] constexpr u32 text_barriers(u64 sh_flags) {
  return static_cast<u32>((sh_flags & kTextBarrierMask) >> kTextBarrierShift);
}

// Registers in sh_info of .text.<function>, above the number of the function's symbol, in files of
// sm_89 and older; else 0. A REGCOUNT record counts more.
inline constexpr u32 kTextRegisterShift = 24;

[[nodiscard]] constexpr u32 text_registers(u32 sh_info) {
  return sh_info >> kTextRegisterShift;
}

// Memory space of a data symbol in an object file (st_other bits 4 to 7, type CudaObject).
enum class MemorySpace : u8 {
  None = 0,
  Global = 0x20,
  UnifiedGlobal = 0x30,
  Shared = 0x40,
  Constant = 0x80,
  ReservedShared = 0xa0,
};
inline constexpr u8 kOtherSpaceMask = 0xf0;

// The space as stored; a value without a name is carried. Not for functions, whose bit 4 says
// kernel.
[[nodiscard]] constexpr MemorySpace memory_space(u8 st_other) {
  return static_cast<MemorySpace>(st_other & kOtherSpaceMask);
}

} // namespace culink::elf
