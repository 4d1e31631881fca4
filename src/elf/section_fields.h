// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section header of either class, widened to 64 bits and not yet checked.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "elf/elf_view.h"

namespace culink::elf {

// Fills the result field by field: see store_fields. The header is read in the same way, because a
// copy of it would be stored and loaded again. `strings` are terminated.
template <typename Shdr>
inline void fill_fields(Section &out, const u8 *raw, u32 index, ByteSpan strings) {
  const auto number = [raw]<typename T>(T Shdr::*, size_t offset) {
    return load_le<T>(raw + offset);
  };
  out.index = index;
  out.name_offset = number(&Shdr::sh_name, offsetof(Shdr, sh_name));
  out.name = string_in(strings, out.name_offset);
  out.type = static_cast<SectionType>(number(&Shdr::sh_type, offsetof(Shdr, sh_type)));
  out.flags = number(&Shdr::sh_flags, offsetof(Shdr, sh_flags));
  out.addr = number(&Shdr::sh_addr, offsetof(Shdr, sh_addr));
  out.offset = number(&Shdr::sh_offset, offsetof(Shdr, sh_offset));
  out.size = number(&Shdr::sh_size, offsetof(Shdr, sh_size));
  out.link = number(&Shdr::sh_link, offsetof(Shdr, sh_link));
  out.info = number(&Shdr::sh_info, offsetof(Shdr, sh_info));
  out.align = number(&Shdr::sh_addralign, offsetof(Shdr, sh_addralign));
  out.entsize = number(&Shdr::sh_entsize, offsetof(Shdr, sh_entsize));
}

} // namespace culink::elf
