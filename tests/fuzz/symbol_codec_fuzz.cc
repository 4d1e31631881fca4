// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols and relocations of both classes: what the view reads is written back as it was, unless
// the view mended it (a section or symbol index out of range reads as 0).
#include "elf/symbol_codec.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

namespace {

// Large enough that no index is out of range.
constexpr u32 kEverySection = 0xffffffff;
constexpr u32 kEverySymbol = 0xffffffff;

void symbols(ByteSpan bytes, elf::ElfClass elf_class) {
  const elf::SymbolTable table(elf_class, kEverySection, bytes, {}, {});
  const u64 stride = elf::symbol_entry_size(elf_class);
  for (u32 i = 0; i < table.size(); ++i) {
    std::vector<u8> out;
    fuzz::require(!elf::append_symbol(out, table[i], elf_class));
    fuzz::require(std::ranges::equal(out, bytes.subspan(i * stride, stride)));
  }
}

void relocations(ByteSpan bytes, elf::ElfClass elf_class, bool has_addends) {
  const elf::RelocationTable table(elf_class, has_addends, kEverySymbol, bytes);
  const u64 stride = elf::relocation_entry_size(elf_class, has_addends);
  for (u32 i = 0; i < table.size(); ++i) {
    const elf::Relocation relocation = table[i];
    std::vector<u8> out;
    fuzz::require(!elf::append_relocation(out, relocation, elf_class, has_addends));
    const ByteSpan entry = bytes.subspan(i * stride, stride);
    const bool mended = relocation.symbol == 0;
    fuzz::require(mended || std::ranges::equal(out, entry));
  }
}

} // namespace

int fuzz::symbol_codec_fuzz(const u8 *data, size_t size) {
  for (const elf::ElfClass elf_class : {elf::ElfClass::Elf64, elf::ElfClass::Elf32}) {
    symbols({data, size}, elf_class);
    relocations({data, size}, elf_class, false);
    relocations({data, size}, elf_class, true);
  }
  return 0;
}
