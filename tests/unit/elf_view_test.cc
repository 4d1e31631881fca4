// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/elf_view.h"

#include <gtest/gtest.h>
#include <vector>

#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {
namespace {

// A file with a null section, .shstrtab and .symtab (one symbol), small enough to break by hand.
std::vector<u8> tiny_elf() {
  const std::string names("\0.shstrtab\0.strtab\0.symtab\0", 27);
  const std::string strings("\0main\0", 6);
  wire::Ehdr64 header{};
  std::memcpy(header.e_ident, kElfMagic, 4);
  header.e_ident[kIdentClass] = 2;
  header.e_ident[kIdentData] = 1;
  header.e_type = 1;
  header.e_machine = kMachineCuda;
  header.e_shentsize = 64;
  header.e_shnum = 4;
  header.e_shstrndx = 1;
  std::vector<u8> file(64);
  const auto append = [&file](const void *p, size_t n) {
    const u64 at = file.size();
    const u8 *bytes = static_cast<const u8 *>(p);
    file.insert(file.end(), bytes, bytes + n);
    return at;
  };
  wire::Shdr64 sections[4] = {};
  sections[1] = {1, 3, 0, 0, append(names.data(), names.size()), names.size(), 0, 0, 1, 0};
  sections[2] = {11, 3, 0, 0, append(strings.data(), strings.size()), strings.size(), 0, 0, 1, 0};
  wire::Sym64 symbols[2] = {};
  symbols[1] = {1, 0x12, 0x10, 2, 0, 8};
  sections[3] = {19, 2, 0, 0, append(symbols, sizeof(symbols)), sizeof(symbols), 2, 1, 8, 24};
  file.resize(align_up(file.size(), 8));
  header.e_shoff = append(sections, sizeof(sections));
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

// Overwrites a field of section header `index` at `field_offset`.
template <typename T>
void patch_section(std::vector<u8> &file, u32 index, u64 field_offset, T value) {
  const u64 shoff = load_le<wire::Ehdr64>(file.data()).e_shoff;
  store_le<T>(file.data() + shoff + index * 64 + field_offset, value);
}

std::string refusal(const std::vector<u8> &file) {
  const Result<ElfView> view = ElfView::open(file);
  return view ? "accepted" : view.error().text();
}

TEST(ElfView, ReadsSectionsAndSymbols) {
  const std::vector<u8> file = tiny_elf();
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  ASSERT_EQ(view->sections().size(), 4u);
  EXPECT_EQ(view->sections()[3].name, ".symtab");
  const SymbolTable symbols = view->symbols();
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[1].name, "main");
  EXPECT_EQ(symbols[1].binding(), SymbolBinding::Global);
  EXPECT_EQ(symbols[1].type(), SymbolType::Function);
  EXPECT_EQ(symbols[1].section, 2u);
}

// Both classes, with and without addends; a symbol that does not exist reads as 0.
TEST(RelocationTable, EntriesAreTheSameOneByOneAndInARow) {
  std::vector<u8> bytes(144);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<u8>(i * 7 + 1);
  for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32})
    for (const bool addends : {false, true})
      for (const u32 symbols : {0xffffffffu, 0x40u}) {
        const RelocationTable table(elf_class, addends, symbols, bytes);
        EXPECT_EQ(table.size(),
                  bytes.size() / (elf_class == ElfClass::Elf64 ? 8 : 4) / (addends ? 3 : 2));
        u32 i = 0;
        for (const Relocation entry : table) {
          const Relocation same = table[i++];
          EXPECT_EQ(entry.offset, same.offset);
          EXPECT_EQ(entry.type, same.type);
          EXPECT_EQ(entry.symbol, same.symbol);
          EXPECT_EQ(entry.addend, same.addend);
          EXPECT_LT(entry.symbol, symbols);
        }
        EXPECT_EQ(i, table.size());
      }
}

// The tiny file with a table of relocations of .symtab at these offsets.
std::vector<u8> with_relocations(const std::vector<u64> &offsets) {
  std::vector<u8> file = tiny_elf();
  auto header = load_le<wire::Ehdr64>(file.data());
  const std::vector<u8> headers(file.begin() + static_cast<i64>(header.e_shoff), file.end());
  const u64 table = file.size();
  for (const u64 offset : offsets) {
    const wire::Rela64 entry = {offset, u64{1} << 32 | 2, 0};
    file.resize(file.size() + sizeof(entry));
    store_le(file.data() + file.size() - sizeof(entry), entry);
  }
  const wire::Shdr64 section = {1, 4, 0, 0, table, file.size() - table, 3, 3, 8, 24};
  header.e_shoff = file.size();
  header.e_shnum = 5;
  file.insert(file.end(), headers.begin(), headers.end());
  file.resize(file.size() + sizeof(section));
  store_le(file.data() + file.size() - sizeof(section), section);
  store_le(file.data(), header);
  return file;
}

TEST(ElfView, RefusesRelocationsOutsideTheirSection) {
  for (const std::vector<u64> &offsets : std::vector<std::vector<u64>>{
           {0x10, 0x20}, {0x28, 0x10, 0x0}, {0x10, 0x10}, {0x8}, {0x10, 0x20, 0x18}}) {
    const std::vector<u8> file = with_relocations(offsets);
    const Result<ElfView> view = ElfView::open(file);
    ASSERT_TRUE(view) << view.error().text();
    EXPECT_EQ(view->relocations(view->sections()[4]).size(), offsets.size());
  }
  const std::vector<u8> outside = with_relocations({0x20, 0x30});
  EXPECT_EQ(refusal(outside), "section 4 '.shstrtab', r_offset of entry 1: 0x30 lies outside "
                              "section 3 '.symtab' (0x30 bytes)");
}

TEST(ElfView, EveryTruncationIsRefusedOrReadsTheSame) {
  const std::vector<u8> file = tiny_elf();
  for (size_t size = 0; size < file.size(); ++size) {
    // An allocation of the exact size lets a sanitizer see any read past the end.
    const std::vector<u8> cut(file.begin(), file.begin() + static_cast<long>(size));
    EXPECT_FALSE(ElfView::open(cut)) << size;
    const Result<ElfView> tolerant = ElfView::open_tolerant(cut);
    EXPECT_TRUE(!tolerant || !tolerant->violations().empty()) << size;
  }
}

TEST(ElfView, NamesPlaceAndFieldOfEachViolation) {
  std::vector<u8> file = tiny_elf();
  patch_section<u64>(file, 2, 32, 1 << 20);
  EXPECT_EQ(refusal(file), "section 2 '.strtab', sh_offset, sh_size: bytes 0x5b + 0x100000 lie "
                           "outside the file (0x198 bytes)");
  file = tiny_elf();
  patch_section<u32>(file, 3, 40, 77);
  EXPECT_EQ(refusal(file), "section 3 '.symtab', sh_link: 77 is not a section (there are 4)");
  file = tiny_elf();
  patch_section<u64>(file, 3, 48, 24);
  EXPECT_EQ(refusal(file), "section 3 '.symtab', sh_addralign: 0x18 is not a power of two");
  file = tiny_elf();
  patch_section<u64>(file, 3, 56, 16);
  EXPECT_EQ(refusal(file), "section 3 '.symtab', sh_entsize: is 16, not 24");
  file = tiny_elf();
  file[kIdentData] = 2;
  EXPECT_EQ(refusal(file), "ELF header, EI_DATA: big-endian ELF files are not supported");
}

TEST(ElfView, TolerantViewListsViolationsAndReadsTheRest) {
  std::vector<u8> file = tiny_elf();
  patch_section<u32>(file, 2, 0, 9999);
  const Result<ElfView> view = ElfView::open_tolerant(file);
  ASSERT_TRUE(view);
  ASSERT_EQ(view->violations().size(), 1u);
  EXPECT_EQ(view->violations()[0].field, "sh_name of section 2");
  EXPECT_EQ(view->sections()[2].name, "");
  EXPECT_EQ(view->symbols()[1].name, "main");
}

TEST(ElfView, SharedMemoryMayHaveAnyAlignment) {
  std::vector<u8> file = tiny_elf();
  patch_section<u32>(file, 1, 4, static_cast<u32>(SectionType::CudaShared));
  patch_section<u64>(file, 1, 48, 48);
  store_le<u16>(file.data() + 62, 0); // e_shstrndx: the names are gone
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->sections()[1].align, 48u);
  patch_section<u64>(file, 2, 48, 48); // .strtab
  EXPECT_FALSE(ElfView::open(file));
}

TEST(ElfView, FieldsOfAnInactiveSectionLeadNowhere) {
  std::vector<u8> file = tiny_elf();
  patch_section<u32>(file, 2, 4, 0);     // .strtab becomes SHT_NULL
  patch_section<u32>(file, 2, 40, 9999); // with a link to no section
  const Result<ElfView> view = ElfView::open_tolerant(file);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->linked_symbols(view->sections()[2]).empty());
  EXPECT_EQ(view->info_section(view->sections()[2]), nullptr);
}

TEST(ElfView, SectionCountEscapesToSectionZero) {
  std::vector<u8> file = tiny_elf();
  store_le<u16>(file.data() + 60, 0); // e_shnum
  patch_section<u64>(file, 0, 32, 4);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->header().section_count, 4u);
  patch_section<u64>(file, 0, 32, u64{1} << 40);
  EXPECT_FALSE(ElfView::open(file));
}

} // namespace
} // namespace culink::elf
