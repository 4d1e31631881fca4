// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section header of either class, widened to 64 bits and not yet checked.
#pragma once

#include "base/bytes.h"
#include "elf/elf_view.h"

namespace culink::elf {

// Fills the result field by field: see store_fields.
template <typename Shdr>
void fill_fields(Section &out, const Shdr &raw, u32 index, ByteSpan strings) {
  out.index = index;
  out.type = static_cast<SectionType>(raw.sh_type);
  out.name = c_string_at(strings, raw.sh_name).value_or("");
  out.flags = raw.sh_flags;
  out.addr = raw.sh_addr;
  out.offset = raw.sh_offset;
  out.size = raw.sh_size;
  out.align = raw.sh_addralign;
  out.entsize = raw.sh_entsize;
  out.link = raw.sh_link;
  out.info = raw.sh_info;
  out.name_offset = raw.sh_name;
}

} // namespace culink::elf
