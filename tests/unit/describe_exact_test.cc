// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The law assemble(describe_exact(f)) == f, on files as tools make them, on broken ones, and on
// files edited as text.
#include "yaml/text_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "broken_file.h"
#include "elf/elf_file.h"
#include "support/mapped_file.h"
#include "yaml/document/document.h"

namespace culink::text {
namespace {

using test::BrokenFile;
using Bytes = std::vector<u8>;

std::string exact_yaml(ByteSpan file) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file);
  EXPECT_TRUE(view) << view.error().text();
  return view ? write_yaml(describe_exact(*view)) : std::string();
}

Bytes from_yaml(std::string_view yaml) {
  const Result<Node> document = read_yaml(yaml);
  EXPECT_TRUE(document) << document.error().text();
  if (!document)
    return {};
  Result<Bytes> image = assemble(*document);
  EXPECT_TRUE(image) << image.error().text();
  return image ? std::move(image).value() : Bytes{};
}

// The text of a file that came back whole.
std::string expect_round_trip(ByteSpan file) {
  std::string yaml = exact_yaml(file);
  const Bytes back = from_yaml(yaml);
  EXPECT_TRUE(std::ranges::equal(back, file));
  return yaml;
}

u32 count_of(std::string_view text, std::string_view word) {
  u32 count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::vector<std::string> shipped_cubins() {
  std::vector<std::string> out;
  for (const char *folder : {"/examples", "/tests/corpus"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(std::string(CULINK_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".cubin")
        out.push_back(entry.path().string());
  std::ranges::sort(out);
  return out;
}

TEST(DescribeExact, shipped_cubins_come_back_and_need_no_raw_bytes) {
  const std::vector<std::string> files = shipped_cubins();
  EXPECT_GT(files.size(), 40u);
  for (const std::string &path : files) {
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_TRUE(file) << path;
    const std::string yaml = expect_round_trip(file->bytes());
    for (const char *key :
         {" raw:", "patch:", "header_only:", "file_size:", " name_at:", " offset: 0x40"})
      EXPECT_EQ(count_of(yaml, key), 0u) << path << " has " << key;
  }
}

TEST(DescribeExact, mutants_come_back) {
  const std::vector<std::string> files = shipped_cubins();
  std::mt19937_64 random(20);
  for (int i = 0; i < 150; ++i) {
    const Result<MappedFile> file = MappedFile::open(files[random() % files.size()]);
    ASSERT_TRUE(file);
    if (file->bytes().size() > 20000)
      continue;
    Bytes bytes(file->bytes().begin(), file->bytes().end());
    const u64 table = load_le<u64>(bytes.data() + 40);
    for (u64 changes = 1 + random() % 3; changes > 0; --changes) {
      const u64 places[] = {16 + random() % 48, table + random() % (bytes.size() - table),
                            16 +
                                random() % (bytes.size() - 16)}; // e_ident decides whether it opens
      const u8 values[] = {0, 0xff, static_cast<u8>(random()), 1};
      bytes[places[random() % 3]] = values[random() % 4];
    }
    if (random() % 8 == 0)
      bytes.resize(64 + random() % (bytes.size() - 64));
    const std::string yaml = expect_round_trip(bytes);
    // In proportion to the file, whatever the headers say.
    EXPECT_LT(yaml.size(), bytes.size() * 8 + 4096);
  }
}

TEST(DescribeExact, keeps_bytes_that_belong_to_nothing) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  const u64 text_offset = file.data_of(".text._Z5totalPKfPfi") - 1;
  file.set<u8>(text_offset, 0x5a); // padding ahead of the code
  file.bytes().insert(file.bytes().end(), {1, 2, 3, 0, 0});
  const std::string yaml = expect_round_trip(file.bytes());
  EXPECT_EQ(count_of(yaml, "patch:"), 1u);
  EXPECT_EQ(count_of(yaml, "hex: 5a"), 1u);
  EXPECT_EQ(count_of(yaml, "file_size:"), 1u);
}

TEST(DescribeExact, writes_shared_bytes_once) {
  BrokenFile file("vector_math/sm_100/linked.cubin");
  const std::string yaml = expect_round_trip(file.bytes());
  EXPECT_EQ(count_of(yaml, "shares: .nv.constant3"), 1u);
}

TEST(DescribeExact, overlapping_sections_are_not_written_twice) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  const u32 count = file.get<u16>(test::kEShnum);
  for (u32 i = 4; i < count; ++i) { // all the rest of the file, each
    const u64 header = file.get<u64>(test::kEShoff) + i * 64;
    file.set<u64>(header + test::kShOffset, i);
    file.set<u64>(header + test::kShSize, file.bytes().size() - i);
  }
  const std::string yaml = expect_round_trip(file.bytes());
  EXPECT_LT(yaml.size(), file.bytes().size() * 4);
  EXPECT_GT(count_of(yaml, "header_only: true"), 5u);
}

TEST(DescribeExact, names_that_are_no_text_or_not_unique_are_unambiguous) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  ASSERT_TRUE(view);
  const elf::SymbolTable symbols = view->symbols();
  const u64 strings = view->find(".strtab")->offset;
  u32 changed = 0;
  for (u32 i = 1; i < symbols.size() && changed < 3; ++i)
    if (symbols[i].type() == elf::SymbolType::Function) {
      file.set<u8>(strings + symbols[i].name_offset, u8(changed == 0 ? 0xff : '#'));
      ++changed;
    }
  const std::string yaml = expect_round_trip(file.bytes());
  EXPECT_GT(count_of(yaml, "{hex: ff"), 0u);
  EXPECT_GT(count_of(yaml, "symbol: \"#"), 0u);
}

TEST(DescribeExact, a_renamed_function_is_renamed_everywhere) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  const std::string yaml = exact_yaml(file.bytes());
  const std::string_view old_name = "_Z6smoothPKfPfi";
  ASSERT_GT(count_of(yaml, old_name), 5u);
  const Bytes image = from_yaml(replaced(yaml, old_name, "a_much_longer_name_for_the_kernel"));
  const Result<elf::ElfView> view = elf::ElfView::open(image);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_NE(view->find(".text.a_much_longer_name_for_the_kernel"), nullptr);
  EXPECT_EQ(
      view->find(".strtab")->data.size(),
      elf::ElfView::open(file.bytes())->find(".strtab")->data.size() +
          count_of(std::string(as_text(elf::ElfView::open(file.bytes())->find(".strtab")->data)),
                   old_name) *
              (33 - old_name.size()));
}

TEST(DescribeExact, an_edited_record_changes_only_its_bytes) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  const std::string yaml = exact_yaml(file.bytes());
  const std::size_t at = yaml.find("{attr: REGCOUNT");
  ASSERT_NE(at, yaml.npos);
  const std::size_t value = yaml.find("value: ", at) + 7;
  const std::size_t end = yaml.find('}', value);
  std::string edited = yaml;
  edited.replace(value, end - value, "255");
  const Bytes image = from_yaml(edited);
  ASSERT_EQ(image.size(), file.bytes().size());
  u32 differences = 0;
  for (u64 i = 0; i < image.size(); ++i)
    differences += image[i] != file.bytes()[i];
  EXPECT_EQ(differences, 1u);
}

TEST(DescribeExact, a_longer_section_moves_those_behind_it) {
  BrokenFile file("vector_math/sm_90/linked.cubin");
  std::string yaml = exact_yaml(file.bytes());
  const std::size_t code = yaml.find("  code: |\n");
  ASSERT_NE(code, yaml.npos);
  yaml.insert(code + 10, "    nop x64\n");
  const Bytes image = from_yaml(yaml);
  const Result<elf::ElfView> view = elf::ElfView::open(image);
  ASSERT_TRUE(view) << view.error().text();
  const Result<elf::ElfView> old = elf::ElfView::open(file.bytes());
  EXPECT_EQ(image.size(), file.bytes().size() + 1024);
  EXPECT_EQ(view->segments().size(), old->segments().size());
  EXPECT_EQ(view->segments()[0].offset, old->segments()[0].offset + 1024);
  EXPECT_EQ(view->segments()[1].filesz, old->segments()[1].filesz + 1024);
}

Bytes file_with_sections(u32 count, elf::ElfClass elf_class) {
  elf::ElfFile writer(
      {.type = elf::FileType::Relocatable, .elf_class = elf_class, .flags = 0x5a04});
  const Bytes code(16, 0x33);
  for (u32 i = 0; i < count; ++i) {
    const std::string name = ".text.k" + std::to_string(i);
    const elf::SectionId text = writer.sections.add(writer.sections.storage.keep(name),
                                                    {.type = elf::SectionType::Progbits,
                                                     .flags = elf::kFlagAlloc | elf::kFlagExec,
                                                     .align = 16,
                                                     .presence = elf::Presence::Always});
    (void)writer.sections.append_copy(text, code);
    const elf::SymbolId symbol =
        writer.symbols.add({.name = writer.sections.storage.keep(name.substr(6)),
                            .type = elf::SymbolType::Function,
                            .section = text,
                            .size = 16});
    writer.sections[text].link = elf::ElfFile::kSymtab;
    writer.sections[text].info = symbol;
  }
  Result<Bytes> file = writer.finish();
  EXPECT_TRUE(file);
  return file ? std::move(file).value() : Bytes{};
}

TEST(DescribeExact, class_32) {
  const std::string yaml = expect_round_trip(file_with_sections(3, elf::ElfClass::Elf32));
  EXPECT_EQ(count_of(yaml, "class: 32"), 1u);
  EXPECT_EQ(count_of(yaml, "patch:"), 0u);
}

TEST(DescribeExact, the_old_abi_has_its_header_fields_stated) {
  BrokenFile file("vector_math/sm_80/main.cubin");
  file.set<u8>(elf::kIdentOsAbi, elf::kOsAbiCudaOld);
  file.set<u8>(elf::kIdentAbiVersion, 7);
  file.set<u32>(test::kEFlags, 0x500550);
  const std::string yaml = expect_round_trip(file.bytes());
  EXPECT_EQ(count_of(yaml, "os_abi: 0x33, abi_version: 7"), 1u);
  EXPECT_EQ(count_of(yaml, "flags: 0x500550"), 1u);
  EXPECT_EQ(count_of(yaml, "patch:"), 0u);
}

TEST(DescribeExact, a_file_of_nothing_but_a_header) {
  BrokenFile file("vector_math/sm_90/main.cubin");
  Bytes bytes(file.bytes().begin(), file.bytes().begin() + 64);
  (void)expect_round_trip(bytes); // tables outside the file
  store_le<u64>(bytes.data() + test::kEShoff, 0);
  store_le<u16>(bytes.data() + test::kEShnum, 0);
  (void)expect_round_trip(bytes);
}

} // namespace
} // namespace culink::text
