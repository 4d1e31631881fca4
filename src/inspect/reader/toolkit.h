// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "elf/elf_view.h"
#include "support/types.h"

namespace culink::inspect {

// The release of the toolkit that made a file, times ten: 134 for CUDA 13.4; 0: the file does not
// say.
[[nodiscard]] u32 toolkit_of(const elf::ElfView &file);

// "13.4" for 134; empty for 0.
[[nodiscard]] std::string release_name(u32 toolkit);

} // namespace culink::inspect
