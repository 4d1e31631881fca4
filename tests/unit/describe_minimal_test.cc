// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "broken_file.h"
#include "elf/section_kind.h"
#include "inspect/dump/usage.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::text {
namespace {

using Bytes = std::vector<u8>;

std::string minimal_yaml(const elf::ElfView &view) {
  const Result<MinimalDescription> minimal = describe_minimal(view);
  EXPECT_TRUE(minimal) << minimal.error().text();
  return minimal ? write_yaml(minimal->document) : std::string();
}

// What links and runs: the code and the data of every section by name, and every relocation by the
// names it concerns.
std::vector<std::string> essence(const elf::ElfView &view) {
  std::vector<std::string> out;
  for (const elf::Section &section : view.sections()) {
    const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
    if (kind.mercury)
      continue;
    if (kind.role == elf::SectionRole::Text)
      out.push_back(std::string(section.name) + " " + std::string(as_text(section.data)));
    if (kind.role != elf::SectionRole::Rel && kind.role != elf::SectionRole::Rela)
      continue;
    const elf::Section &target = view.sections()[section.info];
    const elf::RelocationTable table = view.relocations(section);
    const elf::SymbolTable symbols = view.symbols();
    if (target.name.starts_with(".text."))
      for (u32 i = 0; i < table.size(); ++i)
        out.push_back(std::string(target.name) + " " + std::to_string(table[i].offset) + " " +
                      std::to_string(table[i].type) + " " +
                      std::string(symbols[table[i].symbol].name) + " " +
                      std::to_string(table[i].addend));
  }
  const elf::SymbolTable symbols = view.symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (symbols[i].binding() == elf::SymbolBinding::Global)
      out.push_back(std::string(symbols[i].name) + " " + std::to_string(symbols[i].size) + " " +
                    std::to_string(symbols[i].info) + " " + std::to_string(symbols[i].other) +
                    (symbols[i].undefined() ? " undefined" : ""));
  std::ranges::sort(out);
  return out;
}

TEST(DescribeMinimal, objects_keep_what_links_and_runs) {
  u32 objects = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           std::string(CULINK_SOURCE_DIR) + "/examples")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cubin" || path.find("textures") != path.npos)
      continue;
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_TRUE(file);
    const Result<elf::ElfView> view = elf::ElfView::open(file->bytes());
    ASSERT_TRUE(view);
    if (view->header().type != elf::FileType::Relocatable)
      continue;
    ++objects;
    const std::string yaml = minimal_yaml(*view);
    const Result<Node> document = read_yaml(yaml);
    ASSERT_TRUE(document) << path;
    const Result<Bytes> image = assemble(*document);
    ASSERT_TRUE(image) << path << ": " << image.error().text();
    const Result<elf::ElfView> back = elf::ElfView::open(*image);
    ASSERT_TRUE(back) << path << ": " << back.error().text();
    EXPECT_EQ(essence(*back), essence(*view)) << path;
    // Minimal text of what it assembles to is the same text.
    EXPECT_EQ(minimal_yaml(*back), yaml) << path;
  }
  EXPECT_GT(objects, 10u);
}

TEST(DescribeMinimal, constants_of_functions_and_the_ptx_target_come_back) {
  const std::string yaml = "arch: sm_90\ntype: rel\nvirtual_arch: 75\nfunctions:\n- name: f\n"
                           "  constants:\n  - {name: one, data: 0000803f}\n"
                           "  - {name: two, data: 0102, bind: GLOBAL}\n  code: nop\n";
  const Result<Bytes> image = assemble(*read_yaml(yaml));
  ASSERT_TRUE(image) << image.error().text();
  const Result<elf::ElfView> view = elf::ElfView::open(*image);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(minimal_yaml(*view), yaml);
  EXPECT_TRUE(describe_minimal(*view)->left_out.empty());
}

TEST(DescribeMinimal, says_what_it_leaves_out) {
  test::BrokenFile file("vector_math/sm_100/main.cubin");
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  const Result<MinimalDescription> minimal = describe_minimal(*view);
  ASSERT_TRUE(minimal);
  EXPECT_TRUE(std::ranges::any_of(minimal->left_out, [](const std::string &what) {
    return what.starts_with("section of the Mercury mirror (");
  }));
  EXPECT_TRUE(std::ranges::any_of(minimal->left_out, [](const std::string &what) {
    return what.starts_with("section of debug information (");
  }));
}

TEST(DescribeMinimal, refuses_a_file_without_a_known_target) {
  test::BrokenFile file("vector_math/sm_90/main.cubin");
  file.set<u32>(test::kEFlags, 0x06000104);
  EXPECT_EQ(describe_minimal(*elf::ElfView::open_tolerant(file.bytes())).error().text(),
            "ELF header, e_flags: no known target; use the exact form (--exact)");
}

TEST(DescribeMinimal, overlapping_sections_do_not_multiply_the_text) {
  test::BrokenFile file("vector_math/sm_90/main.cubin");
  const u32 count = file.get<u16>(test::kEShnum);
  for (u32 i = 4; i < count; ++i) {
    const u64 header = file.get<u64>(test::kEShoff) + i * 64;
    file.set<u64>(header + test::kShOffset, 0);
    file.set<u64>(header + test::kShSize, file.bytes().size());
  }
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file.bytes());
  ASSERT_TRUE(view);
  EXPECT_LT(minimal_yaml(*view).size(), file.bytes().size() * 16);
}

} // namespace
} // namespace culink::text
