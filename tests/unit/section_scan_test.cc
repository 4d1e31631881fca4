// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/section_scan.h"

#include <utility>

#include <gtest/gtest.h>

#include "host_file.h"

namespace culink::elf {
namespace {

using test::Bytes;
using test::HostFile;

constexpr NameStart kWanted[] = {NameStart(".nv"), NameStart("__nv_"), NameStart(".rela.nv")};

TEST(SectionScan, gives_the_sections_asked_for_in_their_order) {
  const Bytes file = HostFile()
                         .with(".text", "code")
                         .with("__nv_relfatbin", "fatbin")
                         .with(".nvm", "any")
                         .with(".rela.text", "")
                         .with(".n", "short")
                         .build64();
  const std::optional<SectionScan> scan = scan_sections(file, kWanted);
  ASSERT_TRUE(scan);
  ASSERT_EQ(scan->wanted.size(), 2u);
  EXPECT_EQ(scan->wanted[0].name, "__nv_relfatbin");
  EXPECT_EQ(as_text(scan->wanted[0].data), "fatbin");
  EXPECT_EQ(scan->wanted[1].name, ".nvm");
  EXPECT_TRUE(scan->all_named);
}

TEST(SectionScan, notices_sections_without_a_name) {
  const std::optional<SectionScan> scan =
      scan_sections(HostFile().with(".text", "code").with("", "any").build64(), kWanted);
  ASSERT_TRUE(scan);
  EXPECT_FALSE(scan->all_named);
}

// As files with more than 65,280 sections do.
TEST(SectionScan, reads_the_counts_that_stand_in_section_0) {
  Bytes file = HostFile().with(".text", "code").with(".nvm", "any").build64();
  auto header = load_le<wire::Ehdr64>(file.data());
  auto first = load_le<wire::Shdr64>(file.data() + header.e_shoff);
  first.sh_size = std::exchange(header.e_shnum, u16{0});
  first.sh_link = std::exchange(header.e_shstrndx, u16{0xffff});
  store_le(file.data() + header.e_shoff, first);
  store_le(file.data(), header);
  const std::optional<SectionScan> scan = scan_sections(file, kWanted);
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->count, 4u);
  ASSERT_EQ(scan->wanted.size(), 1u);
  EXPECT_EQ(scan->wanted[0].name, ".nvm");
}

TEST(SectionScan, leaves_files_of_32_bits_to_the_view) {
  EXPECT_FALSE(scan_sections(HostFile().with(".text", "code").build32(), kWanted));
}

// Whatever byte is changed: what the scan accepts the view accepts, and both see the same sections.
TEST(SectionScan, agrees_with_the_view_on_damaged_files) {
  const Bytes good = test::rdc_object("_a", test::bytes_of("fatbin")).with(".text", "x").build64();
  u32 accepted = 0, refused = 0;
  for (size_t at = 0; at < good.size(); ++at)
    for (const u8 value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes bad = good;
      bad[at] = value;
      const std::optional<SectionScan> scan = scan_sections(bad, kWanted);
      if (!scan) {
        ++refused;
        continue;
      }
      ++accepted;
      const Result<ElfView> view = ElfView::open_sections(bad);
      ASSERT_TRUE(view) << at << ": " << view.error().text();
      ASSERT_EQ(view->sections().size(), scan->count);
      for (const Section &section : scan->wanted) {
        const Section &same = view->sections()[section.index];
        EXPECT_EQ(section.name, same.name) << at;
        EXPECT_EQ(section.data.data(), same.data.data()) << at;
        EXPECT_EQ(section.data.size(), same.data.size()) << at;
      }
    }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(refused, 100u);
}

} // namespace
} // namespace culink::elf
