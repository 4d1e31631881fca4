// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/elf_file.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "elf/elf_view.h"
#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/string_index.h"

namespace culink::elf {
namespace {

std::vector<u8> must_finish(const ElfFile &writer) {
  Result<std::vector<u8>> file = writer.finish();
  EXPECT_TRUE(file) << file.error().text();
  return file ? std::move(*file) : std::vector<u8>{};
}

TEST(ElfFile, EmptyObjectHasTheThreeTables) {
  const std::vector<u8> file = must_finish(ElfFile({.flags = 90 << 8 | kCodeKindSass}));
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  ASSERT_EQ(view->sections().size(), 4u);
  EXPECT_EQ(view->sections()[1].name, ".shstrtab");
  EXPECT_EQ(view->sections()[2].name, ".strtab");
  EXPECT_EQ(view->sections()[3].name, ".symtab");
  EXPECT_EQ(view->symbols().size(), 1u);
  EXPECT_EQ(view->header().flags, 90u << 8 | 4);
}

TEST(ElfFile, SectionsAreSortedIntoBucketsInOrderOfCreation) {
  ElfFile elf({});
  elf.sections.add(".nv.global", {.type = SectionType::CudaGlobal,
                                  .flags = kFlagAlloc | kFlagWrite,
                                  .presence = Presence::Always});
  elf.sections.add(".nv.global.init", {.type = SectionType::CudaGlobalInit,
                                       .flags = kFlagAlloc | kFlagWrite,
                                       .presence = Presence::Always});
  const SectionId b =
      elf.sections.add(".text.b", {.flags = kFlagAlloc | kFlagExec, .presence = Presence::Always});
  elf.sections.add(".text.a", {.flags = kFlagAlloc | kFlagExec, .presence = Presence::Always});
  elf.sections.add(".nv.constant3", {.flags = kFlagAlloc, .presence = Presence::Always});
  elf.add_relocation_section(b, true);
  elf.sections.add(".nv.info", {.type = SectionType::CudaInfo, .presence = Presence::Always});
  elf.sections.add(".debug_frame", {.presence = Presence::Always});
  const std::vector<u8> file = must_finish(elf);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  std::vector<std::string_view> names;
  for (const Section &s : view->sections())
    names.push_back(s.name);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"", ".shstrtab", ".strtab", ".symtab", ".debug_frame",
                                           ".nv.info", ".rela.text.b", ".nv.constant3", ".text.b",
                                           ".text.a", ".nv.global.init", ".nv.global"}));
}

TEST(ElfFile, LocalSymbolsComeFirstAndNumbersReachEveryUser) {
  ElfFile elf({});
  const SectionId text = elf.sections.add(".text.f", {.flags = kFlagAlloc | kFlagExec,
                                                      .align = 16,
                                                      .link = ElfFile::kSymtab,
                                                      .presence = Presence::Always});
  elf.sections.append_zeros(text, 32);
  const SymbolId g = elf.symbols.add({.name = "g", .type = SymbolType::Function});
  const SymbolId f = elf.symbols.add({.name = "f",
                                      .binding = SymbolBinding::Weak,
                                      .type = SymbolType::Function,
                                      .section = text,
                                      .size = 32,
                                      .part = SymbolPart::Local});
  elf.symbols.add_section(text);
  elf.sections[text].info = InfoField(f, 24);
  const SectionId rela = elf.add_relocation_section(text, true);
  elf.add_relocation(rela, {16, 75, g, -8});
  const SectionId info =
      elf.sections.add(".nv.info", {.type = SectionType::CudaInfo, .presence = Presence::Always});
  elf.sections.append_zeros(info, 8);
  elf.sections.add_fixup(info, {4, Fixup::Kind::SymbolNumber, g.value});

  const std::vector<u8> file = must_finish(elf);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  const SymbolTable symbols = view->symbols();
  ASSERT_EQ(symbols.size(), 4u);
  EXPECT_EQ(symbols[1].name, "f");
  EXPECT_EQ(symbols[2].type(), SymbolType::Section);
  EXPECT_EQ(symbols[3].name, "g");
  EXPECT_EQ(view->find(".symtab")->info, 3u);
  EXPECT_EQ(view->find(".text.f")->info, 1u | 24u << 24);
  const Relocation r = view->relocations(*view->find(".rela.text.f"))[0];
  EXPECT_EQ(r.symbol, 3u);
  EXPECT_EQ(r.addend, -8);
  EXPECT_EQ(load_le<u32>(view->find(".nv.info")->data.data() + 4), 3u);
}

TEST(ElfFile, Writes32BitFilesThatReadBack) {
  ElfFile elf({.type = FileType::Executable, .elf_class = ElfClass::Elf32});
  const SectionId text = elf.sections.add(
      ".text.f", {.flags = kFlagAlloc | kFlagExec, .align = 128, .presence = Presence::Always});
  elf.sections.append_zeros(text, 64);
  const SymbolId f = elf.symbols.add({.name = "f", .section = text, .value = 8, .size = 56});
  const SectionId rel = elf.add_relocation_section(text, false);
  elf.add_relocation(rel, {8, 2, f});
  const std::vector<u8> file = must_finish(elf);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->symbols()[1].value, 8u);
  EXPECT_EQ(view->relocations(*view->find(".rel.text.f"))[0].symbol, 1u);
  EXPECT_EQ(view->segments().size(), 3u);
}

TEST(ElfFile, ManySectionsUseExtendedIndices) {
  ElfFile elf({});
  SectionId last;
  for (u32 i = 0; i < 70000; ++i)
    last = elf.sections.add(elf.sections.storage.keep(std::to_string(i)),
                            {.presence = Presence::Always});
  elf.sections.append_zeros(last, 1);
  elf.symbols.add({.name = "first", .section = SectionId(4)});
  elf.symbols.add({.name = "last", .section = last});
  const std::vector<u8> file = must_finish(elf);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->header().shnum, 0u);
  EXPECT_EQ(view->header().section_count, 70005u);
  EXPECT_EQ(view->sections()[4].name, ".symtab_shndx");
  EXPECT_EQ(view->sections()[view->symbols()[2].section].name, "69999");
  EXPECT_EQ(view->sections()[view->symbols()[1].section].name, "0");
}

TEST(ElfFile, SharedBytesAndGaps) {
  ElfFile elf({});
  elf.sections.extra(ElfFile::kShstrtab).gap_after = 36;
  const SectionId data =
      elf.sections.add(".nv.global.init", {.flags = kFlagAlloc, .presence = Presence::Always});
  elf.sections.append_copy(data, as_bytes("abcd"));
  const SectionId mirror = elf.sections.add(".nv.merc.nv.global.init",
                                            {.flags = kFlagMercury, .presence = Presence::Always});
  elf.sections.extra(mirror).shares_bytes_with = data;
  elf.sections.append_zeros(mirror, 4);
  const std::vector<u8> file = must_finish(elf);
  const Result<ElfView> view = ElfView::open(file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(as_text(view->find(".nv.merc.nv.global.init")->data), "abcd");
  EXPECT_EQ(view->find(".strtab")->offset,
            view->find(".shstrtab")->offset + view->find(".shstrtab")->size + 36);
}

TEST(ElfFile, RefusesWhatCannotBeWritten) {
  ElfFile elf({});
  const SectionId hidden = elf.sections.add(".hidden", {.presence = Presence::NameOnly});
  elf.sections.add(".a", {.link = hidden, .presence = Presence::Always});
  EXPECT_EQ(elf.finish().error().text(),
            "section '.a', sh_link: names a section that is not part of the file");
  ElfFile other({});
  const SectionId a = other.sections.add(".a", {.align = 3, .presence = Presence::Always});
  EXPECT_EQ(other.finish().error().text(), "section '.a', sh_addralign: 0x3 is not a power of two");
  other.sections[a].align = 4;
  other.sections.add_fixup(a, {0, Fixup::Kind::SymbolNumber, 0});
  EXPECT_EQ(other.finish().error().text(), "section '.a', content: no word at 0x0 to fill in");
}

// Rebuilds a file of nvlink through the writer: sections in the order of .shstrtab, symbols and
// names that left no symbol in the order of .strtab. Same bytes prove order, numbers, offsets and
// program headers against the real linker's files.
class Replay {
public:
  explicit Replay(const ElfView &view)
      : view_(view), elf_({.type = view.header().type,
                           .flags = view.header().flags & 0xffffff,
                           .segments = SegmentRule::Classic}) {}

  std::vector<u8> run() {
    add_sections();
    add_symbols();
    fill_sections();
    elf_.flags_section = id_of_.at(view_.header().flags >> 24);
    return must_finish(elf_);
  }

private:
  static std::vector<std::pair<u64, std::string_view>> strings_of(const Section &table) {
    std::vector<std::pair<u64, std::string_view>> out;
    for (u64 at = 1; at < table.data.size(); at += out.back().second.size() + 1)
      out.emplace_back(at, *c_string_at(table.data, at));
    return out;
  }

  void add_sections() {
    id_of_.resize(view_.sections().size());
    for (u32 i = 1; i <= 3; ++i)
      id_of_[i] = SectionId(i - 1);
    const auto names = strings_of(*view_.find(".shstrtab"));
    for (size_t n = 4; n < names.size(); ++n) { // the four tables exist already
      const std::string_view name = names[n].second;
      const Section *s = view_.find(name);
      OutSection spec{.presence = s ? Presence::Always : Presence::NameOnly};
      if (s) {
        spec.type = s->type;
        spec.flags = s->flags;
        spec.align = s->align;
        spec.entsize = s->entsize;
      }
      const SectionId id = elf_.sections.add(name, spec);
      if (s)
        id_of_[s->index] = id;
    }
  }

  void add_symbols() {
    const SymbolTable symbols = view_.symbols();
    const auto strings = strings_of(*view_.find(".strtab"));
    size_t next = 0;
    while (strings[next].second != ".shstrtab") // what stands in front of all names
      elf_.add_string(strings[next++].second);
    next += 4;
    const auto name_only_until = [&](u64 offset, SymbolPart part) {
      for (; next < strings.size() && strings[next].first < offset; ++next)
        elf_.symbols.add({.name = strings[next].second, .part = part, .emitted = false});
    };
    symbol_of_.push_back({});
    for (u32 i = 1; i < symbols.size(); ++i) {
      const Symbol s = symbols[i];
      const SymbolPart part =
          i < view_.find(".symtab")->info ? SymbolPart::Local : SymbolPart::Global;
      name_only_until(s.name_offset, part);
      if (next < strings.size() && strings[next].first == s.name_offset)
        ++next;
      SymbolSpec spec{.name = s.name,
                      .binding = s.binding(),
                      .type = s.type(),
                      .other = s.other,
                      .value = s.value,
                      .size = s.size,
                      .part = part};
      if (s.section != 0)
        spec.section = id_of_.at(s.section);
      symbol_of_.push_back(elf_.symbols.add(spec));
    }
    name_only_until(~u64{0}, SymbolPart::Global);
  }

  void fill_sections() {
    for (const Section &s : view_.sections()) {
      if (s.index <= 3)
        continue;
      const SectionId id = id_of_[s.index];
      OutSection &spec = elf_.sections[id];
      if (s.link != 0)
        spec.link = id_of_.at(s.link);
      if (const Section *info = view_.info_section(s))
        spec.info = id_of_.at(info->index);
      else if ((s.flags & kFlagExec) != 0)
        spec.info = InfoField(symbol_of_.at(s.info & 0xffffff), static_cast<u8>(s.info >> 24));
      const RelocationTable entries = view_.relocations(s);
      for (u32 i = 0; i < entries.size(); ++i)
        elf_.add_relocation(id, {entries[i].offset, entries[i].type,
                                 symbol_of_.at(entries[i].symbol), entries[i].addend});
      if (s.no_data())
        elf_.sections.append_zeros(id, s.size);
      else if (!is_relocation_table(s.type))
        elf_.sections.append(id, s.data);
    }
  }

  const ElfView &view_;
  ElfFile elf_;
  std::vector<SectionId> id_of_;
  std::vector<SymbolId> symbol_of_;
};

bool names_repeat(const ElfView &view) {
  std::vector<std::string_view> names;
  for (const Section &s : view.sections())
    names.push_back(s.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

TEST(ElfFile, RebuildsShippedLinkedFilesByteForByte) {
  u32 rebuilt = 0;
  for (const char *folder : {"/examples", "/tests/golden"}) {
    const std::filesystem::path root = std::string(CULINK_SOURCE_DIR) + folder;
    if (!std::filesystem::exists(root))
      continue;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".cubin")
        continue;
      const Result<MappedFile> file = MappedFile::open(entry.path());
      ASSERT_TRUE(file);
      const Result<ElfView> view = ElfView::open(file->bytes());
      if (!view || !view->find(".nv.rel.action") || names_repeat(*view))
        continue;
      const std::vector<u8> copy = Replay(*view).run();
      EXPECT_TRUE(std::ranges::equal(copy, file->bytes())) << entry.path();
      ++rebuilt;
    }
  }
  EXPECT_GE(rebuilt, 3u);
}

// Names and symbols of Mercury files follow other rules; what is checked here is where contents lie
// and which program headers cover them.
TEST(ElfFile, MercurySegmentsAreThoseOfNvlink) {
  const Result<MappedFile> file =
      MappedFile::open(CULINK_SOURCE_DIR "/examples/vector_math/sm_100/linked.cubin");
  ASSERT_TRUE(file);
  const Result<ElfView> view = ElfView::open(file->bytes());
  ASSERT_TRUE(view);
  ElfFile elf({.type = FileType::Executable, .segments = SegmentRule::Mercury});
  for (u32 i = 0; i < 3; ++i)
    elf.sections[SectionId(i)].presence = Presence::NameOnly;
  std::vector<SectionId> ids;
  for (const Section &s : view->sections()) {
    if (s.index == 0)
      continue;
    const SectionId id = elf.sections.add(s.name, {.type = s.type,
                                                   .flags = s.flags,
                                                   .align = s.align,
                                                   .presence = Presence::Always,
                                                   .bucket = Bucket::Tables});
    for (u32 other = 1; other < s.index; ++other)
      if (s.is_mercury() && view->sections()[other].offset == s.offset && s.size != 0)
        elf.sections.extra(id).shares_bytes_with = ids[other - 1];
    elf.sections.append_zeros(id, s.size);
    ids.push_back(id);
    if (s.index <= 2) // .shstrtab and .strtab: unused bytes stand behind them
      elf.sections.extra(id).gap_after = view->sections()[s.index + 1].offset - s.offset - s.size;
  }
  WorkerPool pool(2);
  const Result<ElfLayout> layout = elf.lay_out(elf.symbols.numbers(), pool);
  ASSERT_TRUE(layout) << layout.error().text();
  EXPECT_EQ(layout->file_size, file->bytes().size());
  ASSERT_EQ(layout->segments.size(), view->segments().size());
  for (size_t i = 0; i < layout->segments.size(); ++i) {
    const ElfLayout::Segment &ours = layout->segments[i];
    const Segment &theirs = view->segments()[i];
    EXPECT_EQ(ours.type, theirs.type) << i;
    EXPECT_EQ(ours.flags, theirs.flags) << i;
    EXPECT_EQ(ours.offset, theirs.offset) << i;
    EXPECT_EQ(ours.filesz, theirs.filesz) << i;
    EXPECT_EQ(ours.memsz, theirs.memsz) << i;
  }
}

TEST(ElfFile, GivesTheSameFileForNumberedNames) {
  const auto make = [](bool numbered) {
    SectionTable sections;
    if (numbered)
      for (const char *name : {"no dot", ".text.f", ".unused"})
        sections.names.insert(name);
    ElfFile elf({}, std::move(sections));
    const SectionId text = elf.sections.add(".text.f", {.presence = Presence::Always});
    elf.sections.add("no dot", {.presence = Presence::Always});
    elf.sections.add(".text.f", {.presence = Presence::Always}); // the same name again
    elf.sections.add(".other", {.presence = Presence::Always});
    elf.add_string(".text.f");
    elf.symbols.add_section(text);
    // Named like a section, without being one.
    elf.symbols.add({.name = "no dot", .section = text});
    elf.symbols.add({.name = ".text.f", .section = text});
    elf.symbols.add({.name = ".other", .section = text});
    return *elf.finish();
  };
  EXPECT_EQ(make(true), make(false));
}

TEST(ElfFile, DiscardedSectionsLeaveNoTrace) {
  const auto make = [](bool discarded) {
    ElfFile elf({});
    elf.sections.add(".first", {.presence = Presence::Always});
    if (discarded)
      elf.sections.add(".discarded", {.presence = Presence::Nothing});
    elf.sections.add(".last", {.presence = Presence::Always});
    return *elf.finish();
  };
  EXPECT_EQ(make(true), make(false));
}

// Q059
TEST(ElfFile, FillsExtendedIndicesAsNvlinkDoes) {
  for (const bool imitate : {false, true}) {
    ElfFile elf({.type = FileType::Executable,
                 .segments = SegmentRule::None,
                 .lose_section_fff2 = imitate});
    const SectionId note =
        elf.sections.add("note", {.presence = Presence::Always}); // sections 4 and, on demand, 5
    if (imitate)
      elf.number_sections_as_added({note});
    std::vector<SectionId> sections;
    for (u32 i = 0; i < 0xfff4; ++i)
      sections.push_back(
          elf.sections.add(i == 0 ? "name only" : "s",
                           {.presence = i == 0 ? Presence::NameOnly : Presence::Always}));
    // The symbols of the note, of section 6, of 0xfff0, which is created as 0xfff2, to 0xfff3.
    elf.symbols.add_section(note);
    for (const u32 index : {6u, 0xfff0u, 0xfff1u, 0xfff2u, 0xfff3u})
      elf.symbols.add_section(sections[index - 5]);
    // A section that came late, to a table of names that was there.
    elf.rename_symbol(elf.symbols.add({.name = "s", .section = sections[1], .named = false}), "s");
    const Result<std::vector<u8>> file = elf.finish();
    ASSERT_TRUE(file);
    const Result<ElfView> view = ElfView::open(*file);
    ASSERT_TRUE(view) << view.error().text();
    const Section *indices = view->find(".symtab_shndx");
    ASSERT_TRUE(indices);
    std::vector<u32> raw, extended;
    for (u32 i = 1; i <= 7; ++i) {
      raw.push_back(view->symbols()[i].raw_section);
      extended.push_back(load_le<u32>(indices->data.data() + i * 4));
    }
    // Created 5th; 8th with a gap behind the note; the last but one.
    const std::vector<u32> plain_raw = {5, 6, 0xffff, 0xffff, 0xffff, 0xffff, 6},
                           plain = {0, 0, 0xfff0, 0xfff1, 0xfff2, 0xfff3, 0},
                           imitated_raw = {5, 6, 0xffff, 0xffff, 0xfff2, 0xffff, 6},
                           imitated = {5, 8, 0xfff0, 0xfff1, 0xfff4, 0xfff3, 0};
    EXPECT_EQ(raw, imitate ? imitated_raw : plain_raw);
    EXPECT_EQ(extended, imitate ? imitated : plain);
  }
}

std::string text_of(const ElfView &view, std::string_view table) {
  const ByteSpan bytes = view.find(table)->data;
  std::string out(bytes.begin(), bytes.end());
  std::ranges::replace(out, '\0', ' ');
  return out;
}

TEST(ElfFile, CompactFilesHaveOnlyNamesInUseInTheOrderOfTheFile) {
  ElfFile elf({.compact = true, .section_names_room = 3});
  const u32 unused = elf.add_string("#unused"), first = elf.add_string("#first"),
            second = elf.add_string("#second");
  const SectionId code = elf.sections.add(
      ".text", {.flags = kFlagAlloc | kFlagExec, .align = 1, .presence = Presence::Always});
  const SectionId info =
      elf.sections.add(".nv.info", {.type = SectionType::CudaInfo, .presence = Presence::Always});
  elf.sections.add(".gone", {.presence = Presence::NameOnly});
  elf.rename_section(code, ".text.old");
  elf.sections.append_zeros(code, 3);
  elf.sections.append_zeros(info, 12);
  for (const u32 string : {second, first, second})
    elf.sections.add_fixup(info,
                           {string == first ? u64{4} : u64{0}, Fixup::Kind::StringOffset, string});
  elf.symbols.add({.name = "old", .section = code});
  elf.rename_symbol(SymbolId(elf.symbols.size() - 1), "new");
  elf.symbols.add({.name = "lost", .emitted = false});
  elf.symbols.add({.name = "global"});
  const Result<std::vector<u8>> file = elf.finish();
  ASSERT_TRUE(file);
  const Result<ElfView> view = ElfView::open(*file);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(text_of(*view, ".shstrtab"), " .shstrtab .strtab .symtab .nv.info .text    ");
  EXPECT_EQ(text_of(*view, ".strtab"), " new global old #second #first ");
  EXPECT_EQ(view->symbols()[1].name, "new");
  EXPECT_EQ(view->header().shoff, view->find(".text")->offset + 3);
  WorkerPool pool(2);
  const Result<ElfLayout> layout = elf.lay_out(elf.symbols.numbers(), pool);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->string_offset[unused], 0u);
}

} // namespace
} // namespace culink::elf
