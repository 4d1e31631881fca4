// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "culink/elf_writer.h"

#include <gtest/gtest.h>

#include "culink/cubin_reader.h"
#include "elf/elf_view.h"
#include "support/bytes.h"

namespace culink::elf {
namespace {

const std::vector<u8> kCode(32, 0x5a);

std::string refused(const ElfWriter &elf) {
  const Result<std::vector<u8>> file = elf.finish();
  return file ? "accepted" : file.error().text();
}

TEST(ElfWriter, BuildsAKernelThatReadsBack) {
  ElfWriter elf({.type = FileType::Executable, .flags = 90 << 8 | kCodeKindSass});
  const SectionId text =
      elf.add_section({.name = ".text.k", .flags = kFlagAlloc | kFlagExec, .align = 128});
  elf.set_link(text, elf.symtab());
  EXPECT_EQ(elf.append(text, kCode), 0u);
  elf.add_section_symbol(text);
  const SymbolId helper = elf.add_symbol({.name = "helper", .type = SymbolType::Function});
  const SymbolId kernel = elf.add_symbol({.name = "k",
                                          .type = SymbolType::Function,
                                          .other = kOtherKernel,
                                          .section = text,
                                          .size = kCode.size()});
  elf.set_info(text, kernel);
  const SectionId info = elf.add_section({.name = ".nv.info", .type = SectionType::CudaInfo});
  elf.append_zeros(info, 12);
  elf.store_symbol_number(info, 0, kernel);
  elf.store_section_index(info, 4, text);
  elf.store_string_offset(info, 8, elf.add_string("prototype"));
  elf.set_flags_section(info);
  const SectionId table = elf.add_relocation_section(text, true);
  elf.add_relocation(table, {.offset = 16, .type = 57, .symbol = helper, .addend = 4});

  const Result<std::vector<u8>> file = elf.finish();
  ASSERT_TRUE(file) << file.error().text();
  const Result<ElfView> view = ElfView::open(*file);
  ASSERT_TRUE(view) << view.error().text();
  const Section *code = view->find(".text.k");
  ASSERT_TRUE(code);
  EXPECT_EQ(view->header().flags,
            u32{90 << 8 | kCodeKindSass} | view->find(".nv.info")->index << 24);
  EXPECT_EQ(code->link, view->find(".symtab")->index);
  const ByteSpan words = view->find(".nv.info")->data;
  const u32 number = load_le<u32>(words.data());
  EXPECT_EQ(code->info, number);
  EXPECT_EQ(view->symbols()[number].name, "k");
  EXPECT_EQ(load_le<u32>(words.data() + 4), code->index);
  EXPECT_EQ(load_le<u32>(words.data() + 8), 1u); // the first string
  EXPECT_TRUE(view->find(".rela.text.k"));
}

TEST(ElfWriter, AddsTheNotesThatLinkersAskFor) {
  ElfWriter elf({.flags = 90 << 8 | kCodeKindSass});
  const SectionId cuinfo = elf.add_notes({.virtual_sm = 90, .toolkit = 129, .tool = "my compiler"});
  EXPECT_EQ(elf.size(cuinfo), 32u);
  const Result<std::vector<u8>> file = elf.finish();
  ASSERT_TRUE(file) << file.error().text();
  const Result<CubinReader> cubin = CubinReader::open(*file);
  ASSERT_TRUE(cubin) << cubin.error().text();
  EXPECT_EQ(cubin->header().virtual_sm, 90u);
  EXPECT_EQ(cubin->header().toolkit, 129u);
  EXPECT_EQ(cubin->header().flags >> 24, cubin->find_section(".note.nv.cuinfo")->index);
  ASSERT_EQ(cubin->tools().size(), 1u);
  EXPECT_EQ(cubin->tools()[0].name, "my compiler");
}

TEST(ElfWriter, GivesTheSameBytesAgain) {
  ElfWriter elf({});
  elf.append(elf.add_section({.name = ".debug_frame"}), kCode);
  ElfWriter moved = std::move(elf);
  const Result<std::vector<u8>> first = moved.finish();
  const Result<std::vector<u8>> second = moved.finish();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
}

TEST(ElfWriter, ReportsTheFirstWrongCall) {
  ElfWriter elf({});
  const SectionId text = elf.add_section({.name = ".text.k"});
  elf.append(text, kCode, 3);
  elf.append(SectionId(77), kCode);
  EXPECT_EQ(refused(elf), ".text.k, append: alignment 0x3 is not a power of two");
}

// Each of these would otherwise make the writer read or write outside its tables.
TEST(ElfWriter, RefusesIdsOfOtherWriters) {
  const SectionId far_section(77);
  const SymbolId far_symbol(77);
  const auto refusal = [](auto call) {
    ElfWriter elf({});
    call(elf, elf.add_section({.name = ".text.k"}));
    return refused(elf);
  };
  using Elf = ElfWriter;
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.append(far_section, kCode); }),
            "append, section: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.append_copy({}, kCode); }),
            "append_copy, section: an empty id");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.append_zeros(far_section, 1); }),
            "append_zeros, section: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId) { elf.add_section({.name = "s", .link = far_section}); }),
      "s, sh_link: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId) { elf.add_section({.name = "s", .info = far_symbol}); }),
      "s, sh_info: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId) { elf.add_symbol({.name = "f", .section = far_section}); }),
      "f, st_shndx: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.add_section_symbol(far_section); }),
            "add_section_symbol, section: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.add_relocation_section(far_section, true); }),
            "add_relocation_section, target: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId text) { elf.set_info(text, InfoField(far_section)); }),
            ".text.k, sh_info: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId text) { elf.set_link(text, far_section); }),
            ".text.k, sh_link: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.set_flags(far_section, 0); }),
            "set_flags, section: id 77 is none of this writer");
  EXPECT_EQ(refusal([&](Elf &elf, SectionId) { elf.set_flags_section(far_section); }),
            "set_flags_section, section: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId text) { elf.store_symbol_number(text, 0, far_symbol); }),
      ".text.k, symbol number: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId text) { elf.store_section_index(text, 0, far_section); }),
      ".text.k, section index: id 77 is none of this writer");
  EXPECT_EQ(
      refusal([&](Elf &elf, SectionId text) { elf.store_string_offset(text, 0, StringId(0)); }),
      ".text.k, string offset: id 0 is none of this writer");
  EXPECT_EQ(ElfWriter({}).size(far_section), 0u);
}

TEST(ElfWriter, RefusesContentThatIsItsOwnBusiness) {
  ElfWriter strings({});
  strings.append(strings.strtab(), kCode);
  EXPECT_EQ(refused(strings), ".strtab, append: the writer makes the content of this section");
  ElfWriter symbols({});
  symbols.append_zeros(symbols.symtab(), 24);
  EXPECT_EQ(refused(symbols),
            ".symtab, append_zeros: the writer makes the content of this section");
  ElfWriter relocations({});
  relocations.add_relocation(relocations.add_section({.name = ".text.k"}), {});
  EXPECT_EQ(refused(relocations), ".text.k, add_relocation: not a table of relocations");
  ElfWriter narrow({});
  narrow.add_relocation(
      narrow.add_section({.name = ".rela.x", .type = SectionType::Rela, .entsize = 1}), {});
  EXPECT_EQ(refused(narrow), ".rela.x, add_relocation: not a table of relocations");
  ElfWriter large({});
  large.append_zeros(large.add_section({.name = ".nv.global"}), ~u64{0});
  EXPECT_EQ(refused(large), ".nv.global, append_zeros: 0xffffffffffffffff bytes more are too many");
}

TEST(ElfWriter, RefusesNumbersOutsideTheContent) {
  ElfWriter elf({});
  const SectionId info = elf.add_section({.name = ".nv.info", .type = SectionType::CudaInfo});
  elf.append_zeros(info, 4);
  elf.store_section_index(info, 1, info);
  EXPECT_EQ(refused(elf), "section '.nv.info', content: no word at 0x1 to fill in");
}

} // namespace
} // namespace culink::elf
