// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "support/types.h"

namespace culink::elf {

// Replaces the contents of a section in a 64-bit ELF file. Later parts move as if the file had been
// written with the new contents: sections are aligned, and the two tables follow them. Returns
// false without a change if the file does not have that layout.
[[nodiscard]] bool replace_section(std::vector<u8> &file, u32 index, ByteSpan contents);

// Variant for a file of any layout, in which other sections must not move: appends the contents to
// the file. Precondition: the file has a 64-bit section table with that section.
void append_section(std::vector<u8> &file, u32 index, ByteSpan contents);

} // namespace culink::elf
