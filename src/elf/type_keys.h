// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of sections as small numbers, for tables with an element for each type: plain ones, then
// NVIDIA's, then one for all unknown ones.
#pragma once

#include "base/types.h"
#include "culink/elf_constants.h"

namespace culink::elf {

inline constexpr u32 kTypeKeys = 0xc0;
inline constexpr u32 kUnknownType = kTypeKeys - 1;
inline constexpr u32 kPlainTypes = 0x20;
inline constexpr u32 kFirstOwnType = 0x70000000;

[[nodiscard]] constexpr u32 type_key(SectionType type) {
  const u32 number = static_cast<u32>(type);
  if (number < kPlainTypes)
    return number;
  return number >= kFirstOwnType && number - kFirstOwnType < kUnknownType - kPlainTypes
             ? number - kFirstOwnType + kPlainTypes
             : kUnknownType;
}

// Precondition: the key is not kUnknownType.
[[nodiscard]] constexpr SectionType type_of_key(u32 key) {
  return static_cast<SectionType>(key < kPlainTypes ? key : key - kPlainTypes + kFirstOwnType);
}

} // namespace culink::elf
