// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section header of either class, widened to 64 bits and not yet checked.
#pragma once

#include "elf/elf_view.h"
#include "elf/wire.h"

namespace culink::elf {

// Precondition: `strings` are terminated. The data of the section is not known yet.
template <typename Shdr>
[[nodiscard]] Section widen_section(const Shdr &raw, u32 index, ByteSpan strings) {
  return {.name_offset = raw.sh_name,
          .type = static_cast<SectionType>(raw.sh_type),
          .flags = raw.sh_flags,
          .addr = raw.sh_addr,
          .offset = raw.sh_offset,
          .size = raw.sh_size,
          .link = raw.sh_link,
          .info = raw.sh_info,
          .align = raw.sh_addralign,
          .entsize = raw.sh_entsize,
          .index = index,
          .name = string_in(strings, raw.sh_name)};
}

} // namespace culink::elf
