// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "culink/cubin_reader.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "culink/elf_writer.h"

namespace culink {
namespace {

using elf::ElfWriter;
using elf::SectionId;
using elf::SectionType;

const std::string kExamples = std::string(CULINK_SOURCE_DIR) + "/examples/";

CubinReader must_open(const std::string &path) {
  Result<CubinReader> reader = CubinReader::open_file(path);
  EXPECT_TRUE(reader) << reader.error().text();
  return std::move(*reader);
}

std::vector<u8> must_finish(const ElfWriter &elf) {
  Result<std::vector<u8>> file = elf.finish();
  EXPECT_TRUE(file) << file.error().text();
  return std::move(*file);
}

std::string refusal(const std::vector<u8> &bytes) {
  const Result<CubinReader> reader = CubinReader::open(bytes, "b.cubin");
  return reader ? "accepted" : reader.error().text();
}

template <typename List, typename Matches> auto *find(const List &list, Matches matches) {
  const auto at = std::ranges::find_if(list, matches);
  return at == list.end() ? nullptr : &*at;
}

TEST(CubinReader, TellsWhatALinkedFileIsFor) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_90/linked.cubin");
  EXPECT_EQ(cubin.header().type, elf::FileType::Executable);
  EXPECT_EQ(cubin.header().target, "sm_90");
  EXPECT_EQ(cubin.header().sm, 90u);
  EXPECT_EQ(cubin.header().virtual_sm, 90u);
  EXPECT_EQ(cubin.header().toolkit, 130u);
  EXPECT_FALSE(cubin.header().mercury);
  const std::vector<CubinReader::Tool> tools = cubin.tools();
  ASSERT_FALSE(tools.empty());
  EXPECT_TRUE(find(tools, [](const auto &tool) { return tool.name == "nvlink"; }));
  EXPECT_EQ(cubin.notes().front().owner, "NVIDIA Corp");
}

TEST(CubinReader, GivesSectionsSymbolsAndRelocations) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_90/main.cubin");
  const CubinReader::Section *text = cubin.find_section(".text._Z6smoothPKfPfi");
  ASSERT_TRUE(text);
  EXPECT_EQ(text, &cubin.sections()[text->index]);
  EXPECT_EQ(text->type_name, "PROGBITS");
  EXPECT_EQ(text->role, "text");
  EXPECT_EQ(text->function, "_Z6smoothPKfPfi");
  EXPECT_EQ(text->data.size(), text->size);
  EXPECT_FALSE(cubin.find_section(".text.nothing"));

  const std::vector<CubinReader::Symbol> symbols = cubin.symbols();
  const auto *kernel = find(symbols, [](const auto &s) { return s.name == "_Z6smoothPKfPfi"; });
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->kernel());
  EXPECT_TRUE(kernel->defined());
  EXPECT_EQ(kernel->section, text->index);
  const auto *undefined = find(symbols, [](const auto &s) { return s.name == "_Z8filteredPKf"; });
  ASSERT_TRUE(undefined);
  EXPECT_FALSE(undefined->defined());

  const std::vector<CubinReader::Relocation> relocations = cubin.relocations();
  const auto *call =
      find(relocations, [](const auto &r) { return r.symbol_name == "_Z8filteredPKf"; });
  ASSERT_TRUE(call);
  EXPECT_EQ(call->section, text->index);
  EXPECT_EQ(call->symbol, undefined->number);
  EXPECT_TRUE(call->type_name.starts_with("R_CUDA_")) << call->type_name;
  EXPECT_LT(call->offset, text->size);
  const std::vector<CubinReader::Relocation> of_table =
      cubin.relocations(cubin.sections()[call->table]);
  EXPECT_FALSE(of_table.empty());
  EXPECT_LE(of_table.size(), relocations.size());
  EXPECT_TRUE(cubin.relocations(*text).empty());
  EXPECT_TRUE(cubin.symbols(*text).empty());
  EXPECT_TRUE(cubin.attributes(*text).empty());
}

TEST(CubinReader, GivesRecordsByName) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_90/linked.cubin");
  const std::vector<CubinReader::Attribute> all = cubin.attributes();
  const auto *registers = find(all, [](const CubinReader::Attribute &record) {
    return record.name == "EIATTR_REGCOUNT" && record.values[0].text == "_Z6smoothPKfPfi";
  });
  ASSERT_TRUE(registers);
  ASSERT_EQ(registers->values.size(), 2u);
  EXPECT_EQ(registers->values[0].kind, CubinReader::Value::Kind::Symbol);
  EXPECT_EQ(registers->values[0].key, "symbol");
  EXPECT_EQ(registers->values[1].key, "value");
  EXPECT_EQ(registers->values[1].number, 36u);
  EXPECT_EQ(registers->function, "");
  EXPECT_EQ(registers->payload.size(), 8u);
  EXPECT_EQ(cubin.sections()[registers->section].name, ".nv.info");

  const auto *exits =
      find(all, [](const auto &record) { return record.name == "EIATTR_EXIT_INSTR_OFFSETS"; });
  ASSERT_TRUE(exits);
  EXPECT_EQ(exits->function, "_Z5totalPKfPfi");
  EXPECT_EQ(exits->values[0].kind, CubinReader::Value::Kind::CodeOffset);
  EXPECT_TRUE(find(all, [](const auto &r) { return r.name.starts_with("EICOMPAT_ATTR_"); }));
  EXPECT_FALSE(cubin.attributes(*cubin.find_section(".nv.info")).empty());
}

TEST(CubinReader, SumsUpWhatKernelsNeed) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_90/linked.cubin");
  const ModuleUsage usage = cubin.usage();
  const auto *kernel =
      find(usage.functions, [](const auto &f) { return f.name == "_Z6smoothPKfPfi"; });
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->kernel);
  EXPECT_EQ(kernel->registers, 36u);
  EXPECT_EQ(kernel->shared, 1568u);
  EXPECT_EQ(kernel->parameters, 20u);
  EXPECT_EQ(cubin.symbols()[kernel->symbol].name, kernel->name);
}

TEST(CubinReader, ReadsTheSecondSymbolTableOfMercuryFiles) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_100/main.cubin");
  EXPECT_TRUE(cubin.header().mercury);
  const auto *table = find(cubin.sections(), [](const CubinReader::Section &section) {
    return section.type == SectionType::MercurySymtab;
  });
  ASSERT_TRUE(table);
  EXPECT_FALSE(cubin.symbols(*table).empty());
  const std::vector<CubinReader::Relocation> all = cubin.relocations();
  EXPECT_TRUE(find(all, [](const auto &r) { return r.type_name.starts_with("R_MERCURY_"); }));
}

TEST(CubinReader, StaysValidWhenMoved) {
  CubinReader first = must_open(kExamples + "vector_math/sm_90/linked.cubin");
  const std::string_view name = first.find_section(".symtab")->name;
  const CubinReader second = std::move(first);
  EXPECT_EQ(name, ".symtab");
  EXPECT_EQ(second.find_section(".symtab")->name.data(), name.data());
}

TEST(CubinReader, TakesNothingFromSectionsOfOtherFiles) {
  const CubinReader cubin = must_open(kExamples + "vector_math/sm_90/linked.cubin");
  CubinReader::Section foreign;
  foreign.index = 100000;
  EXPECT_TRUE(cubin.symbols(foreign).empty());
  EXPECT_TRUE(cubin.relocations(foreign).empty());
  EXPECT_TRUE(cubin.attributes(foreign).empty());
}

TEST(CubinReader, NamesFileSectionAndField) {
  EXPECT_EQ(CubinReader::open_file("/nonexistent/a.cubin").error().text(),
            "/nonexistent/a.cubin: cannot open: No such file or directory");
  EXPECT_EQ(refusal({1, 2, 3}),
            "b.cubin: ELF header, e_ident: not an ELF file (magic bytes missing)");

  ElfWriter elf({.flags = 90 << 8 | elf::kCodeKindSass});
  std::vector<u8> host = must_finish(elf);
  host[18] = 62; // e_machine
  host[19] = 0;
  EXPECT_EQ(refusal(host), "b.cubin: ELF header, e_machine: 62 is not a CUDA device file (190)");
}

// What the codecs tolerate, the reader refuses when it opens the file.
TEST(CubinReader, RefusesBrokenRecords) {
  const auto with_content = [](std::string_view name, SectionType type, std::vector<u8> bytes) {
    ElfWriter elf({.flags = 90 << 8 | elf::kCodeKindSass});
    elf.append_copy(elf.add_section({.name = name, .type = type, .align = 4, .link = elf.symtab()}),
                    bytes);
    return refusal(must_finish(elf));
  };
  const auto starts = [](const std::string &text, std::string_view with) {
    EXPECT_TRUE(text.starts_with(with)) << text;
  };
  EXPECT_EQ(with_content(".nv.info", SectionType::CudaInfo, {1, 0x2a, 0, 0}), "accepted");
  // A record of a known attribute in a new layout.
  EXPECT_EQ(with_content(".nv.info", SectionType::CudaInfo, {4, 0x05, 4, 0, 1, 2, 3, 4}),
            "accepted");
  starts(with_content(".nv.info", SectionType::CudaInfo, {9, 0, 0, 0}),
         "b.cubin: section 4 '.nv.info', record at offset 0x0: ");
  starts(with_content(".nv.info", SectionType::CudaInfo,
                      {1, 0x2a, 0, 0, 4, 0x2f, 8, 0, 99, 0, 0, 0, 1, 0, 0, 0}),
         "b.cubin: section 4 '.nv.info', record at offset 0x4: names symbol 99, there are ");
  starts(with_content(".nv.compat", SectionType::CudaCompat, {4, 0, 9, 0}),
         "b.cubin: section 4 '.nv.compat', record at offset 0x0: ");
  starts(with_content(".note.x", SectionType::Note, {12, 0, 0, 0}),
         "b.cubin: section 4 '.note.x', record at offset 0x0: ");
  std::vector<u8> cuinfo = {12, 0, 0, 0, 4, 0, 0, 0, 0xe8, 3, 0, 0};
  for (const char c : std::string_view("NVIDIA Corp\0", 12))
    cuinfo.push_back(static_cast<u8>(c));
  cuinfo.insert(cuinfo.end(), {2, 0, 90, 0});
  starts(with_content(".note.nv.cuinfo", SectionType::Note, cuinfo),
         "b.cubin: section 4 '.note.nv.cuinfo', note at offset 0x0: ");
}

} // namespace
} // namespace culink
