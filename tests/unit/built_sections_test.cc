// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/built_sections.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/string_index.h"
#include "base/worker_pool.h"
#include "elf/elf_builder.h"
#include "elf/elf_view.h"

namespace culink::elf {
namespace {

// Sections that are put share headers. The file is that of sections which are added.
TEST(BuiltSections, ThoseThatArePutAreThoseThatAreAdded) {
  const std::vector<u8> code(32, 7);
  const auto make = [&](bool put) {
    StringIndex index;
    for (const char *name : {".text.f", ".text.g", ".debug_line", ".rela.text.f", ".nv.global"})
      index.insert(name);
    ElfBuilder elf({.borrow_names = true, .numbered_names = &index});
    WorkerPool pool(1);
    const SectionId first(elf.section_count());
    const auto id = [&](u32 i) { return SectionId(first.value + i); };
    const SymbolId f = elf.add_symbol({.name = "f", .section = id(0), .size = 32});
    const SymbolNumbers numbers = elf.number_symbols();
    EXPECT_EQ(numbers.of[f.value], 1u);
    const auto header = [&](u32 i, SectionType type, u64 flags, InfoField info) -> SectionSpec {
      return {.name = index[i],
              .type = type,
              .name_number = i,
              .flags = flags,
              .align = 4,
              .entsize = i == 3 ? 24u : 0u,
              .link = elf.symtab(),
              .info = info};
    };
    const u64 text = kFlagAlloc | kFlagExec;
    const SectionSpec headers[] = {header(0, SectionType::Progbits, text, {f, 24}),
                                   header(1, SectionType::Progbits, text, {f, 25}),
                                   header(2, SectionType::Progbits, text, InfoField(7)),
                                   header(3, SectionType::Rela, 0, id(0)),
                                   header(4, SectionType::Nobits, kFlagAlloc | kFlagWrite, {})};
    const u64 sizes[] = {32, 40, 32, 0, 100}; // zeros behind the bytes of the second
    if (put)
      elf.add_sections(5);
    for (u32 i = 0; i < 5; ++i) {
      const ByteSpan bytes = i < 3 ? ByteSpan(code) : ByteSpan();
      if (put) {
        elf.put_section(id(i), elf.number_of_kind(headers[i]), i, headers[i].info, bytes, sizes[i]);
        continue;
      }
      elf.add_section(headers[i]);
      elf.append(id(i), bytes);
      elf.append_zeros(id(i), sizes[i] - bytes.size());
    }
    elf.append(id(0), code);
    elf.edit_section(id(1)).align = 16; // not that of the first
    const MutableByteSpan entry = elf.append_room(id(3), 24);
    std::ranges::fill(entry, u8{0});
    elf.add_relocation(id(3), {8, 1, f, 2}); // behind it
    EXPECT_EQ(elf.section(id(0)).align, 4u);
    EXPECT_EQ(elf.name_of(id(2)), ".debug_line");
    EXPECT_EQ(elf.size(id(3)), 48u);
    Result<std::vector<u8>> file = elf.finish();
    EXPECT_TRUE(file) << file.error().text();
    return file ? std::move(*file) : std::vector<u8>{};
  };
  const std::vector<u8> file = make(true);
  EXPECT_EQ(file, make(false));
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view);
  const Section *f = view->find(".text.f"), *g = view->find(".text.g");
  ASSERT_TRUE(f && g);
  EXPECT_EQ(f->info >> 24, 24u);
  EXPECT_EQ(g->info >> 24, 25u);
  EXPECT_EQ(g->data.size(), 40u);
  EXPECT_EQ(g->data[31], 7);
  EXPECT_EQ(g->data[32], 0);
  EXPECT_LT(view->find(".debug_line")->index, f->index);
}

// The bytes themselves are not looked at.
TEST(BuiltSections, FirstBytesAreCountedInFourBytes) {
  using State = BuiltSections::State;
  const u8 byte = 0;
  for (const u64 size : {u64{State::kAll} - 1, u64{State::kAll}, u64{State::kAll} + 1}) {
    const bool is_counted = size < State::kAll;
    const ByteSpan bytes(&byte, size);
    EXPECT_TRUE(BuiltSections::is_plain(bytes, size));
    EXPECT_EQ(BuiltSections::is_plain(bytes, size + 8), is_counted);
    BuiltSections sections(nullptr);
    const u32 id = sections.add({.name = ".text.f"});
    sections.append(id, 0, bytes);
    sections.append_zeros(id, size, 8);
    const State &state = sections[id];
    EXPECT_EQ(state.size, size + 8);
    EXPECT_EQ(state.bytes().size(), is_counted ? size : 0);
    u64 in_pieces = 0;
    sections.pieces().for_each(sections.find_detail(state)->more,
                               [&](const BuiltSections::Piece &piece) {
                                 EXPECT_EQ(piece.offset, 0u);
                                 in_pieces += piece.bytes.size();
                               });
    EXPECT_EQ(in_pieces, is_counted ? 0 : size);
  }
}

} // namespace
} // namespace culink::elf
