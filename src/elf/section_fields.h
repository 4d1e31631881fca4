// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section header of either class, widened to 64 bits and not yet checked.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/bytes.h"
#include "elf/elf_view.h"
#include "elf/wire.h"

namespace culink::elf {

// A 64-bit header is copied as a whole; fields of the other class become wider one by one. No copy
// of it is made between: that would be stored and loaded again. `strings` are terminated.
template <typename Shdr>
inline void fill_fields(Section &out, const u8 *raw, u32 index, ByteSpan strings) {
  if constexpr (std::is_same_v<Shdr, wire::Shdr64>) {
    static_assert(offsetof(Section, type) == offsetof(wire::Shdr64, sh_type));
    static_assert(offsetof(Section, flags) == offsetof(wire::Shdr64, sh_flags));
    static_assert(offsetof(Section, addr) == offsetof(wire::Shdr64, sh_addr));
    static_assert(offsetof(Section, offset) == offsetof(wire::Shdr64, sh_offset));
    static_assert(offsetof(Section, size) == offsetof(wire::Shdr64, sh_size));
    static_assert(offsetof(Section, link) == offsetof(wire::Shdr64, sh_link));
    static_assert(offsetof(Section, info) == offsetof(wire::Shdr64, sh_info));
    static_assert(offsetof(Section, align) == offsetof(wire::Shdr64, sh_addralign));
    static_assert(offsetof(Section, entsize) == offsetof(wire::Shdr64, sh_entsize));
    static_assert(offsetof(Section, index) == sizeof(wire::Shdr64));
    std::memcpy(static_cast<void *>(&out), raw, sizeof(wire::Shdr64));
  } else {
    const auto number = [raw]<typename T>(T Shdr::*, size_t offset) {
      return load_le<T>(raw + offset);
    };
    out.name_offset = number(&Shdr::sh_name, offsetof(Shdr, sh_name));
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
  out.index = index;
  out.offsets_ordered = false;
  out.offset_bits = 0xff;
  out.name = string_in(strings, load_le<u32>(raw + offsetof(Shdr, sh_name)));
}

} // namespace culink::elf
