// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/symbol_codec.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

TEST(SymbolCodec, ReadsBackWhatItWrote) {
  Symbol symbol;
  symbol.name_offset = 1;
  symbol.info = 0x12;
  symbol.other = kOtherKernel;
  symbol.raw_section = 3;
  symbol.section = 3;
  symbol.value = 0x1234;
  symbol.size = 0x80;
  const std::vector<u8> strings = {0, 'k', 0};
  for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
    std::vector<u8> entries;
    ASSERT_FALSE(append_symbol(entries, symbol, elf_class));
    ASSERT_EQ(entries.size(), symbol_entry_size(elf_class));
    const Symbol read = SymbolTable(elf_class, 4, entries, strings, {})[0];
    EXPECT_EQ(read.name, "k");
    EXPECT_EQ(read.info, symbol.info);
    EXPECT_EQ(read.other, symbol.other);
    EXPECT_EQ(read.section, symbol.section);
    EXPECT_EQ(read.value, symbol.value);
    EXPECT_EQ(read.size, symbol.size);
  }
}

TEST(SymbolCodec, RelocationsReadBack) {
  const Relocation relocation{0x40, -8, 57, 9};
  for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
    for (const bool has_addend : {false, true}) {
      std::vector<u8> entries;
      ASSERT_FALSE(append_relocation(entries, relocation, elf_class, has_addend));
      ASSERT_EQ(entries.size(), relocation_entry_size(elf_class, has_addend));
      const Relocation read = RelocationTable(elf_class, has_addend, 10, entries)[0];
      EXPECT_EQ(read.offset, relocation.offset);
      EXPECT_EQ(read.type, relocation.type);
      EXPECT_EQ(read.symbol, relocation.symbol);
      EXPECT_EQ(read.addend, has_addend ? -8 : 0);
    }
  }
}

TEST(SymbolCodec, RefusesWhatClass32CannotHold) {
  std::vector<u8> out;
  Symbol symbol;
  symbol.value = u64{1} << 32;
  EXPECT_EQ(append_symbol(out, symbol, ElfClass::Elf32)->text(),
            "st_value: 0x100000000 does not fit an ELF of class 32");
  EXPECT_FALSE(append_symbol(out, symbol, ElfClass::Elf64));
  out.clear();
  for (const Relocation &wide : {Relocation{u64{1} << 32, 0, 1, 1}, Relocation{0, 0, 0x10001, 1},
                                 Relocation{0, 0, 1, 1 << 24}, Relocation{0, i64{1} << 31, 1, 1}})
    EXPECT_TRUE(append_relocation(out, wide, ElfClass::Elf32, true));
  EXPECT_TRUE(out.empty());
}

} // namespace
} // namespace culink::elf
