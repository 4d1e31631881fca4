// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoder of symbols and relocations; elf_view.h has the decoder. Class 32 has narrow fields:
// 32-bit values, and a relocation keeps its type in 8 bits, which excludes the Mercury types.
#include "elf/symbol_codec.h"

#include <fmt/format.h>
#include <limits>

#include "elf/codec.h"
#include "elf/wire.h"

namespace culink::elf {

namespace {

constexpr u64 kMax32 = std::numeric_limits<u32>::max();

Error too_wide(const char *field, u64 value) {
  return {{}, field, fmt::format("{:#x} does not fit an ELF of class 32", value)};
}

} // namespace

std::optional<Error> append_symbol(std::vector<u8> &out, const Symbol &symbol, ElfClass elf_class) {
  if (elf_class == ElfClass::Elf64) {
    append_le(out, wire::Sym64{symbol.name_offset, symbol.info, symbol.other, symbol.raw_section,
                               symbol.value, symbol.size});
    return std::nullopt;
  }
  if (symbol.value > kMax32)
    return too_wide("st_value", symbol.value);
  if (symbol.size > kMax32)
    return too_wide("st_size", symbol.size);
  append_le(out, wire::Sym32{symbol.name_offset, static_cast<u32>(symbol.value),
                             static_cast<u32>(symbol.size), symbol.info, symbol.other,
                             symbol.raw_section});
  return std::nullopt;
}

std::optional<Error> append_relocation(std::vector<u8> &out, const Relocation &relocation,
                                       ElfClass elf_class, bool has_addend) {
  if (elf_class == ElfClass::Elf64) {
    append_le(out, wire::Rel64{relocation.offset, u64{relocation.symbol} << 32 | relocation.type});
    if (has_addend)
      append_le(out, relocation.addend);
    return std::nullopt;
  }
  if (relocation.offset > kMax32)
    return too_wide("r_offset", relocation.offset);
  if (relocation.type > 0xff)
    return too_wide("relocation type", relocation.type);
  if (relocation.symbol > 0xffffff)
    return too_wide("relocation symbol", relocation.symbol);
  const i32 addend = static_cast<i32>(relocation.addend);
  if (has_addend && addend != relocation.addend)
    return too_wide("r_addend", static_cast<u64>(relocation.addend));
  append_le(out, wire::Rel32{static_cast<u32>(relocation.offset),
                             relocation.symbol << 8 | relocation.type});
  if (has_addend)
    append_le(out, addend);
  return std::nullopt;
}

} // namespace culink::elf
