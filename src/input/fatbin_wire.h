// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/types.h"

namespace culink {

// A fatbin as its bytes lie in a file, for those who read and write them: a container header, then
// entries, each a header with texts behind it and a payload that ends at a multiple of 8.
struct WireContainer {
  u32 magic;
  u16 version;
  u16 header_size;
  u64 size; // of the entries
};
static_assert(sizeof(WireContainer) == 16);

struct WireEntry {
  u16 kind;
  u16 version;
  u32 header_size; // with identifier and options
  u64 padded_size;
  u32 packed_size; // 0: not packed
  u32 options;     // offset from here of the options record, or 0
  u16 minor;
  u16 major;
  u32 sm;
  u32 identifier; // offset from here, or 0
  u32 identifier_size;
  u64 flags;
  u64 reserved;
  u64 size; // when unpacked; 0: not packed
};
static_assert(sizeof(WireEntry) == 64);

inline constexpr u16 kFatbinVersion = 1;
inline constexpr u64 kFatbinAlignment = 8; // of entries

} // namespace culink
