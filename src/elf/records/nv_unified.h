// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unified functions and data (PTX .attribute(.unified(a, b)), sm_90 and later): .nv.uft.entry and
// .nv.udt.entry name each function or variable by a 128-bit identity and give its offset in .nv.uft
// or .nv.udt. The tables themselves hold code (one slot of 128 bytes per function; in objects each
// slot is a section .nv.uft.rel.<function>) and data. The format of .nv.uidx is not known.
#pragma once

#include <vector>

#include "elf/codec.h"

namespace culink::elf {

inline constexpr u64 kUnifiedEntrySize = 32; // sh_entsize of both entry sections

struct UnifiedEntry {
  u32 symbol = 0;
  u32 flags = 0;     // 1 from ptxas, 7 from nvlink -r
  u64 offset = 0;    // of the slot in .nv.uft (0 in objects), of the variable in .nv.udt
  u64 uuid_low = 0;  // first number of the attribute
  u64 uuid_high = 0; // second
  friend bool operator==(const UnifiedEntry &, const UnifiedEntry &) = default;
};
static_assert(sizeof(UnifiedEntry) == kUnifiedEntrySize);

using UnifiedSection = RowSection<UnifiedEntry>;

[[nodiscard]] inline UnifiedSection decode_unified_entries(ByteSpan section) {
  return decode_rows<UnifiedEntry>(section, "trailing bytes, an entry has 32");
}

} // namespace culink::elf
