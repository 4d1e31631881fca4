// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/diff/diff.h"

#include <gtest/gtest.h>

#include "broken_file.h"
#include "elf/elf_file.h"

namespace culink::text {
namespace {

using namespace test;

constexpr std::string_view kLinked = "vector_math/sm_90/linked.cubin";

DiffResult compare(ByteSpan a, ByteSpan b, const DiffOptions &options = {}) {
  const Result<elf::ElfView> view_a = elf::ElfView::open_tolerant(a);
  const Result<elf::ElfView> view_b = elf::ElfView::open_tolerant(b);
  if (!view_a || !view_b) {
    ADD_FAILURE() << "unreadable";
    return {};
  }
  return diff_files(*view_a, *view_b, options);
}

DiffResult compare(const BrokenFile &a, const BrokenFile &b, const DiffOptions &options = {}) {
  return compare(a.bytes(), b.bytes(), options);
}

// All differences as the program prints them.
std::vector<std::string> lines(const DiffResult &result) {
  std::vector<std::string> out;
  for (const Difference &d : result.differences)
    out.push_back(std::string(name_of_topic(d.topic)) + ": " +
                  (d.place.empty() ? "" : d.place + ": ") + d.text);
  return out;
}

// What `damage` to the second of two equal files is told as.
struct Case {
  std::string_view name;
  std::string_view example;
  void (*damage)(BrokenFile &);
  std::vector<std::string> expected;
};

const Case kCases[] = {
    {"header",
     kObject,
     [](BrokenFile &f) { f.set<u8>(kEFlags + 1, 100); },
     {"header: ELF header: flags 0x6005a04 vs 0x6006404"}},
    {"identification",
     kObject,
     [](BrokenFile &f) { f.set<u8>(12, 3); },
     {"header: ELF header: identification bytes differ"}},
    {"symbol_field",
     kLinked,
     [](BrokenFile &f) { f.set<u64>(f.symbol("samples_seen") + 8, 4); },
     {"symbols: .symtab: symbol 22 'samples_seen': value 0x0 vs 0x4"}},
    {"section_flags",
     kLinked,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.constant3") + kShFlags, 3); },
     {"headers: '.nv.constant3': flags 0x2 vs 0x3"}},
    {"section_info_by_name",
     kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.header_of(".nv.info._Z6smoothPKfPfi") + kShInfo,
                  f.index_of(".text._Z9block_sumf"));
     },
     {"headers: '.nv.info._Z6smoothPKfPfi': info '.text._Z6smoothPKfPfi' vs "
      "'.text._Z9block_sumf'"}},
    {"tkinfo",
     kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".note.nv.tkinfo") + 12 + 12 + 24 + 1, 'q'); },
     {"tkinfo: '.note.nv.tkinfo': field tool of note 0: 'ptxas' vs 'qtxas'"}},
    {"cuinfo",
     kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".note.nv.cuinfo") + 26, 80); },
     {"notes: '.note.nv.cuinfo': field contents of note 0: virtual architecture 90 vs 80"}},
    {"compat",
     kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".nv.compat") + 2, 1); },
     {"compat: '.nv.compat': record 0 EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET: 0x0 (format 2) vs 0x1 "
      "(format 2)"}},
    {"info_value",
     kLinked,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.info") + 12, 77); },
     {"info: '.nv.info': record 1 EIATTR_FRAME_SIZE '_Z9block_sumf': 0x0 vs 0x4d"}},
    {"call_edge",
     kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.data_of(".nv.callgraph") + 8 + 4, f.symbol_index("_Z8filteredPKf"));
     },
     {"callgraph: '.nv.callgraph': record 1 only in the first file: part -1: '_Z5totalPKfPfi' -> "
      "'_Z9block_sumf'",
      "callgraph: '.nv.callgraph': record 1 only in the second file: part -1: '_Z5totalPKfPfi' -> "
      "'_Z8filteredPKf'"}},
    {"relocation_type",
     kLinked,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".rela.text._Z6smoothPKfPfi") + 8, 58); },
     {"relocs: '.rela.text._Z6smoothPKfPfi': relocation 0 at 0x270: R_CUDA_ABS32_LO_32 against "
      "'_Z6smoothPKfPfi' vs R_CUDA_ABS47_34 against '_Z6smoothPKfPfi'"}},
    {"instruction",
     kLinked,
     [](BrokenFile &f) {
       const u64 text = f.data_of(".text._Z6smoothPKfPfi");
       f.set<u64>(text + 0x20, 1);
       f.set<u64>(text + 0x28, 2);
     },
     {"code: '.text._Z6smoothPKfPfi': instruction at 0x20: 0x00000000000479c3 0x000ea20000002500 "
      "vs "
      "0x0000000000000001 0x0000000000000002"}},
    {"variable",
     kLinked,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".nv.constant3") + 5, 0xee); },
     {"data: '.nv.constant3': bytes differ from 0x5 in 'filter_taps' + 0x5 (1 in all): at 0x0 0a "
      "d7 "
      "a3 3c 0a d7 a3 3d 0a d7 23 3e 8f c2 75 3e vs 0a d7 a3 3c 0a ee a3 3d 0a d7 23 3e 8f c2 75 "
      "3e"}},
    {"prototype_string",
     kLinked,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".strtab") + 2, '!'); },
     {"callgraph: '.nv.prototype': record 0 '_Z9block_sumf': '#ii' vs '#!i'",
      "strings: '.strtab': string 1 only in the first file: '#ii'",
      "strings: '.strtab': string 1 only in the second file: '#!i'"}},
    {"segment",
     kLinked,
     [](BrokenFile &f) { f.set<u32>(f.segment(1) + kPFlags, 4); },
     {"segments: program header 1: flags 5 vs 4"}},
    {"padding",
     kLinked,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".text._Z5totalPKfPfi") - 1, 1); },
     {"padding: bytes differ that nothing above explains, first at file offset 0x14ff (outside all "
      "sections): 0x00 vs 0x01"}},
};

TEST(Diff, TellsEachDamageInWords) {
  for (const Case &test : kCases) {
    BrokenFile good(test.example), bad(test.example);
    test.damage(bad);
    const std::vector<std::string> told = lines(compare(good, bad));
    EXPECT_EQ(told, test.expected) << test.name;
  }
}

TEST(Diff, EqualFilesHaveNoDifference) {
  EXPECT_TRUE(compare(BrokenFile(kObject), BrokenFile(kObject)).same());
}

TEST(Diff, FirstLinesOfDifferentProgramsNameTheFunctions) {
  const auto told =
      lines(compare(BrokenFile(kObject), BrokenFile("vector_math/sm_90/filter.cubin")));
  ASSERT_GE(told.size(), 3u);
  EXPECT_EQ(told[0], "functions: function only in the first file: '_Z5totalPKfPfi'");
  EXPECT_EQ(told[1], "functions: function only in the first file: '_Z6smoothPKfPfi'");
}

// A symbol more shifts all numbers behind it; records that name symbols stay the same in words.
TEST(Diff, RenumberedSymbolsDoNotShowInTheRecords) {
  BrokenFile a(kLinked), b(kLinked);
  // Swap two global symbols and every mention of them.
  const u32 first = b.symbol_index("_Z9block_sumf"), second = b.symbol_index("_Z8filteredPKf");
  const u64 table = b.data_of(".symtab");
  for (u64 i = 0; i < 24; ++i)
    std::swap(b.bytes()[table + first * 24 + i], b.bytes()[table + second * 24 + i]);
  const auto renumber = [&](u64 at) {
    const u32 old = b.get<u32>(at);
    b.set<u32>(at, old == first ? second : old == second ? first : old);
  };
  const Result<elf::ElfView> view = elf::ElfView::open(a.bytes());
  ASSERT_TRUE(view);
  for (const elf::Section &s : view->sections()) {
    if (s.type == elf::SectionType::CudaInfo && s.name == ".nv.info")
      for (u64 at = 4; at + 12 <= s.size; at += 12) // behind a record of four bytes
        renumber(s.offset + at + 4);
    if (is_rela(s.type))
      for (u64 at = 0; at < s.size; at += 24)
        renumber(s.offset + at + 12);
    if (s.type == elf::SectionType::CudaCallgraph || s.type == elf::SectionType::CudaPrototype)
      for (u64 at = 0; at < s.size; at += 8) {
        renumber(s.offset + at);
        if (s.type == elf::SectionType::CudaCallgraph)
          renumber(s.offset + at + 4);
      }
    if (s.name.starts_with(".text."))
      renumber(b.header_of(s.name) + kShInfo);
  }
  EXPECT_EQ(lines(compare(a, b)),
            (std::vector<std::string>{"symbols: .symtab: symbol order differs from symbol 18: "
                                      "'_Z9block_sumf' vs '_Z8filteredPKf'"}));
}

TEST(Diff, LimitCountsWhatItDoesNotTell) {
  BrokenFile a(kLinked), b(kLinked);
  const u64 text = b.data_of(".text._Z6smoothPKfPfi");
  for (u64 i = 0; i < 5; ++i)
    b.set<u64>(text + i * 16, ~u64{0});
  DiffOptions options;
  options.limit = 2;
  const DiffResult result = compare(a, b, options);
  EXPECT_EQ(result.differences.size(), 2u);
  EXPECT_EQ(result.count(), 5u);
}

TEST(Diff, IgnoredTopicsDoNotCount) {
  BrokenFile a(kObject), b(kObject);
  b.set<u8>(b.data_of(".note.nv.tkinfo") + 12 + 12 + 24 + 1, 'q');
  DiffOptions options;
  options.ignored[static_cast<u32>(DiffTopic::Tkinfo)] = true;
  EXPECT_TRUE(compare(a, b, options).same());
  b.set<u32>(b.data_of(".nv.info") + 8, 77);
  EXPECT_EQ(lines(compare(a, b, options)).size(), 1u);
}

TEST(Diff, IgnoringTkinfoForgivesTheMovesItCauses) {
  // The same objects linked with another command line: only the note's length differs.
  BrokenFile a(kObject), b(kObject);
  const u64 header = b.header_of(".note.nv.tkinfo");
  const u64 end = b.data_of(".note.nv.tkinfo") + b.get<u64>(header + kShSize);
  const u64 note = b.data_of(".note.nv.tkinfo");
  const u64 size = b.get<u64>(header + kShSize), shoff = b.get<u64>(kEShoff);
  b.set<u32>(note + 4, b.get<u32>(note + 4) + 128);
  b.set<u64>(header + kShSize, size + 128);
  for (u64 at = shoff; at < b.bytes().size(); at += 64)
    if (b.get<u64>(at + kShOffset) >= end)
      b.set<u64>(at + kShOffset, b.get<u64>(at + kShOffset) + 128);
  b.set<u64>(kEShoff, shoff + 128);
  b.bytes().insert(b.bytes().begin() + static_cast<i64>(end), 128, 'x');
  b.set<u8>(end + 127, 0);
  EXPECT_FALSE(compare(a, b).same());
  DiffOptions options;
  options.ignored[static_cast<u32>(DiffTopic::Tkinfo)] = true;
  EXPECT_EQ(lines(compare(a, b, options)), std::vector<std::string>{});
}

// An executable whose last sections have no bytes, behind a note of `note_size` bytes. A writer
// that loses part of the data is imitated with `lost`.
std::vector<u8> with_note_of(u64 note_size, u64 lost = 0) {
  elf::ElfFile elf({.type = elf::FileType::Executable, .flags = 90 << 8 | elf::kCodeKindSass});
  const std::vector<u8> note(note_size, 0);
  const std::vector<u8> data(0x148, 7);
  elf.sections.append_copy(elf.sections.add(".note.nv.tkinfo", {.type = elf::SectionType::Note,
                                                                .presence = elf::Presence::Always}),
                           note);
  elf.sections.append_copy(
      elf.sections.add(".nv.global.init", {.type = elf::SectionType::Progbits,
                                           .flags = elf::kFlagWrite | elf::kFlagAlloc,
                                           .align = 32,
                                           .presence = elf::Presence::Always}),
      data);
  for (const auto &[name, align] : {std::pair(".nv.shared.k", 64), std::pair(".nv.global", 256)})
    elf.sections.append_zeros(elf.sections.add(name, {.type = elf::SectionType::Nobits,
                                                      .flags = elf::kFlagWrite | elf::kFlagAlloc,
                                                      .align = static_cast<u64>(align),
                                                      .presence = elf::Presence::Always}),
                              0x20);
  std::vector<u8> file = elf.finish().value();
  constexpr u64 kFileSize = 32;
  const u64 segments = lost != 0 ? load_at<u16>(file, kEPhnum).value() : 0;
  for (u64 i = 0; i < segments; ++i) {
    u8 *size = file.data() + load_at<u64>(file, kEPhoff).value() + i * 56 + kFileSize;
    if (load_le<u64>(size) >= data.size())
      store_le<u64>(size, data.size() - lost);
  }
  return file;
}

TEST(Diff, PaddingBeforeSectionsWithoutBytesMayMove) {
  DiffOptions options;
  options.ignored[static_cast<u32>(DiffTopic::Tkinfo)] = true;
  const std::vector<u8> a = with_note_of(24);
  for (u64 note = 32; note < 24 + 256; note += 8)
    EXPECT_EQ(lines(compare(a, with_note_of(note), options)), std::vector<std::string>{}) << note;
}

TEST(Diff, SegmentThatLosesBytesShowsAlsoWhenSectionsMove) {
  DiffOptions options;
  options.ignored[static_cast<u32>(DiffTopic::Tkinfo)] = true;
  const std::vector<std::string> found =
      lines(compare(with_note_of(24), with_note_of(104, 8), options));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].find("only 0x140 bytes of the last") != std::string::npos) << found[0];
}

TEST(Diff, TopicsHaveNames) {
  for (u32 i = 0; i < kDiffTopics; ++i) {
    const auto topic = static_cast<DiffTopic>(i);
    EXPECT_EQ(topic_from_name(name_of_topic(topic)), topic);
  }
  EXPECT_FALSE(topic_from_name("nothing"));
}

} // namespace
} // namespace culink::text
