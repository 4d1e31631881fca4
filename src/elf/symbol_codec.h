// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols and relocations to their wire form, classes 64 and 32. Reading: elf_view.h.
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"

namespace culink::elf {

// Appends one entry, written from name_offset and raw_section (not from name and section). The
// error names the field that class 32 cannot hold; nothing is appended then.
[[nodiscard]] std::optional<Error> append_symbol(std::vector<u8> &out, const Symbol &symbol,
                                                 ElfClass elf_class);
[[nodiscard]] std::optional<Error> append_relocation(std::vector<u8> &out,
                                                     const Relocation &relocation,
                                                     ElfClass elf_class, bool has_addend);

} // namespace culink::elf
