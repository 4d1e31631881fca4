// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "arch/arch.h"
#include "arch/elf_flags.h"
#include "elf/elf_view.h"

namespace culink::arch {

// The target that a file was compiled for.
struct FileTarget {
  arch::ElfTarget flags;                // from its header
  const arch::ArchInfo *arch = nullptr; // nothing for a target we do not know
  std::string name;                     // "sm_90a"
};

// Since toolkit 13 the header has the number only; the letter is in .nv.compat.
[[nodiscard]] FileTarget target_of(const elf::ElfView &file);

// Whether bytes are a device file with code of that number: "sm_90a" and "sm_90" have the same.
[[nodiscard]] bool is_code_for(std::string_view target, ByteSpan bytes);

} // namespace culink::arch
