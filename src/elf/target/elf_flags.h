// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "support/types.h"

namespace culink::arch {

inline constexpr u8 kAbiVersion = 8;    // EI_ABIVERSION, with EI_OSABI 0x41
inline constexpr u8 kAbiVersionOld = 7; // with EI_OSABI 0x33: toolkits before 13 up to sm_90

// The target as encoded in EI_OSABI, EI_ABIVERSION and e_flags together. Fields that a layout lacks
// are 0. Bits without a meaning are kept in `other`, so that encoding restores every value.
struct ElfTarget {
  u8 os_abi = elf::kOsAbiCuda;
  u8 abi_version = kAbiVersion;
  u8 sm = 0;                // 90
  u8 virtual_sm = 0;        // ABI 7: the .target of the PTX; ABI 8: in .note.nv.cuinfo instead
  bool accelerated = false; // sm_90a: ABI 7, and ABI 8 of toolkit 12.9. From 13.0 on the letter is
                            // in .nv.compat only
  u8 code_kind = 0;         // ABI 8: a CodeKind, or a number without a name
  u8 cuinfo_section = 0;    // ABI 8: index of .note.nv.cuinfo
  bool address_64 = false;  // ABI 7
  bool texture_unified = false;     // ABI 7
  bool texture_independent = false; // ABI 7
  u32 other = 0;

  friend bool operator==(const ElfTarget &, const ElfTarget &) = default;

  [[nodiscard]] bool old_layout() const;
};

[[nodiscard]] ElfTarget decode_elf_target(u8 os_abi, u8 abi_version, u32 flags);
[[nodiscard]] ElfTarget decode_elf_target(const elf::FileHeader &header);

// Returns the e_flags of a target. Valid if only the fields of its layout are set.
[[nodiscard]] u32 encode_elf_flags(const ElfTarget &target);

// The target of a file.
struct FileTarget {
  ElfTarget flags;                // from its header
  const ArchInfo *arch = nullptr; // null for an unknown target
  std::string name;               // "sm_90a"
};

// Since toolkit 13 the header only has the number; the letter is in .nv.compat.
[[nodiscard]] FileTarget target_of(const elf::ElfView &file);

// True if bytes are a device file with code of that number, which "sm_90a" and "sm_90" share.
[[nodiscard]] bool is_code_for(std::string_view target, ByteSpan bytes);

} // namespace culink::arch
