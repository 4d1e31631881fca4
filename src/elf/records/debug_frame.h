// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .debug_frame in the 64-bit format of DWARF, section 6.4: a CIE, then FDEs, one for each function.
// A record is ff ff ff ff, a length, then a mark of CIEs or a pointer to one, then, in an FDE, the
// address of the code and its size.
#pragma once

#include <optional>
#include <vector>

#include "support/types.h"

namespace culink::elf {

// Offsets in a record.
inline constexpr u64 kFrameLength = 4;   // number of bytes after the length field
inline constexpr u64 kFrameCie = 12;     // the pointer to the CIE; the length starts here
inline constexpr u64 kFrameAddress = 20; // of an FDE: the address of the code

struct FrameRecord {
  u64 offset = 0;
  ByteSpan bytes; // the whole record; borrowed
  bool is_cie = false;
};

// Returns nullopt for a section that is damaged or of another format.
[[nodiscard]] std::optional<std::vector<FrameRecord>> split_frames(ByteSpan section);

} // namespace culink::elf
