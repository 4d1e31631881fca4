// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "support/types.h"

namespace culink::elf {

// Gives a section of a 64-bit ELF file other contents. What lies behind it moves as if the file had
// been written with them: sections are aligned, the two tables follow them. False: the file is not
// laid out in that way, and nothing was changed.
[[nodiscard]] bool replace_section(std::vector<u8> &file, u32 index, ByteSpan contents);

// Variant for a file of any layout, where no other section may move: the contents follow the file.
// Precondition: it has a 64-bit section table with that section.
void append_section(std::vector<u8> &file, u32 index, ByteSpan contents);

} // namespace culink::elf
