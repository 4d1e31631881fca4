// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodes symbols and relocations, classes 64 and 32. Decoding: elf_view.h.
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"

namespace culink::elf {

// Appends one entry, from name_offset and raw_section (not from name and section). If a field does
// not fit class 32, returns an error that names it and appends nothing.
[[nodiscard]] std::optional<Error> append_symbol(std::vector<u8> &out, const Symbol &symbol,
                                                 ElfClass elf_class);
[[nodiscard]] std::optional<Error> append_relocation(std::vector<u8> &out,
                                                     const Relocation &relocation,
                                                     ElfClass elf_class, bool has_addend);

} // namespace culink::elf
