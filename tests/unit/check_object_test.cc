// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One field of a good object is broken at a time; the refusal names file, section and field.
#include "input/load_object.h"

#include <utility>

#include <gtest/gtest.h>

#include "broken_file.h"
#include "culink/linker.h"

namespace culink {
namespace {

using test::BrokenFile;

constexpr const char *kKernel = ".text._Z6smoothPKfPfi";

LinkRequest request_of(const BrokenFile &file) {
  LinkRequest request;
  request.target = "sm_90";
  request.options.relocatable = true;
  request.inputs = {LinkInput::memory("broken.cubin", file.bytes())};
  return request;
}

std::string refusal(const BrokenFile &file) {
  const LinkResult result = link(request_of(file));
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.messages.size(), 1u);
  return result.messages.empty() ? "" : result.messages[0].text;
}

BrokenFile example() {
  return BrokenFile("vector_math/sm_90/main.cubin");
}

void expect_refusal(const BrokenFile &file, std::string_view place, std::string_view field) {
  const std::string text = refusal(file);
  EXPECT_TRUE(text.starts_with("broken.cubin: ")) << text;
  EXPECT_NE(text.find(place), std::string::npos) << text;
  EXPECT_NE(text.find(field), std::string::npos) << text;
}

TEST(CheckObject, takes_a_good_object) {
  const BrokenFile file = example();
  EXPECT_TRUE(link(request_of(file)).ok());
}

TEST(CheckObject, refuses_code_that_no_symbol_names) {
  BrokenFile file = example();
  file.set<u8>(file.symbol("_Z6smoothPKfPfi") + test::kStInfo, 0x10);
  file.set<u16>(file.symbol("_Z6smoothPKfPfi") + test::kStShndx, 0);
  expect_refusal(file, kKernel, "no function symbol");
}

TEST(CheckObject, refuses_a_function_outside_of_code) {
  BrokenFile file = example();
  file.set<u16>(file.symbol("_Z6smoothPKfPfi") + test::kStShndx,
                static_cast<u16>(file.index_of(".nv.info")));
  expect_refusal(file, ".symtab", "st_shndx of symbol");
}

TEST(CheckObject, refuses_code_whose_symbol_has_another_name) {
  BrokenFile file = example();
  const u64 name = file.symbol("_Z6smoothPKfPfi") + test::kStName;
  file.set<u32>(name, file.get<u32>(name) + 1);
  expect_refusal(file, kKernel, "sh_info");
}

TEST(CheckObject, refuses_absurd_alignments_and_sizes) {
  BrokenFile aligned = example();
  aligned.set<u64>(aligned.header_of(kKernel) + test::kShAlign, u64{1} << 40);
  expect_refusal(aligned, kKernel, "sh_addralign");
  BrokenFile sized = example();
  sized.set<u64>(sized.symbol("_Z6smoothPKfPfi") + 16, u64{1} << 50);
  expect_refusal(sized, ".symtab", "st_size");
}

TEST(CheckObject, refuses_sections_that_share_all_bytes_of_the_file) {
  BrokenFile file = example();
  for (const char *name : {kKernel, ".text._Z5totalPKfPfi", ".debug_frame",
                           ".nv.constant0._Z6smoothPKfPfi", ".nv.constant0._Z5totalPKfPfi"}) {
    file.set<u64>(file.header_of(name) + test::kShOffset, 0);
    file.set<u64>(file.header_of(name) + test::kShSize, file.bytes().size() & ~u64{127});
  }
  expect_refusal(file, "section", "they overlap");
}

TEST(CheckObject, refuses_a_type_that_contradicts_the_name) {
  BrokenFile file = example();
  file.set<u32>(file.header_of(".nv.callgraph") + test::kShType, 8);
  expect_refusal(file, ".nv.callgraph", "sh_type");
  BrokenFile note = example();
  note.set<u32>(note.header_of(".nv.info") + test::kShType, 7);
  expect_refusal(note, ".nv.info", "sh_type");
}

TEST(CheckObject, refuses_records_beside_the_code_of_another_function) {
  BrokenFile file = example();
  file.set<u32>(file.header_of(".nv.info._Z5totalPKfPfi") + test::kShInfo, file.index_of(kKernel));
  expect_refusal(file, ".nv.info._Z5totalPKfPfi", "sh_info");
}

TEST(CheckObject, refuses_numbers_of_a_function_that_are_said_twice) {
  BrokenFile file = example();
  constexpr u64 kSymbolOfFourth = 3 * 12 + 4; // records of twelve bytes: head, symbol, number
  file.set<u32>(file.data_of(".nv.info") + kSymbolOfFourth, file.symbol_index("_Z6smoothPKfPfi"));
  expect_refusal(file, ".nv.info", "record at 0x24");
}

TEST(CheckObject, refuses_two_values_for_one_field) {
  BrokenFile file = example();
  const u64 table = file.data_of(".rela.debug_frame");
  constexpr u64 kEntry = 24;
  file.set<u64>(table, file.get<u64>(table + kEntry));
  expect_refusal(file, ".rela.debug_frame", "r_offset of entry 1: entry 0 of");
}

TEST(CheckObject, refuses_memory_of_what_is_no_kernel) {
  BrokenFile file = example();
  file.set<u8>(file.symbol("_Z6smoothPKfPfi") + test::kStOther, 0);
  expect_refusal(file, "._Z6smoothPKfPfi", "sh_info");
}

TEST(CheckObject, refuses_variables_without_a_memory_space) {
  BrokenFile file = example();
  file.set<u8>(file.symbol("$___ZZ6smoothPKfPfiE6window__39") + test::kStOther, 0);
  expect_refusal(file, ".symtab", "st_other of symbol");
}

TEST(CheckObject, refuses_a_first_symbol_that_is_not_empty) {
  BrokenFile file = example();
  file.set<u8>(file.data_of(".symtab") + test::kStInfo, 3);
  expect_refusal(file, ".symtab", "of symbol 0");
}

TEST(CheckObject, refuses_an_empty_symbol_table) {
  BrokenFile file = example();
  for (const char *name :
       {".symtab", ".rela.text._Z5totalPKfPfi", ".rela.text._Z6smoothPKfPfi", ".rela.debug_frame"})
    file.set<u64>(file.header_of(name) + test::kShSize, 0);
  file.set<u32>(file.header_of(".symtab") + test::kShInfo, 0);
  expect_refusal(file, ".symtab", "sh_size");
}

TEST(CheckObject, refuses_records_and_memory_of_all_functions_beside_one) {
  for (const char *section : {".nv.info", ".nv.constant3", ".nv.global"}) {
    BrokenFile file("vector_math/sm_90/relocatable.cubin");
    file.set<u32>(file.header_of(section) + test::kShInfo, file.index_of(kKernel));
    expect_refusal(file, section, "sh_info");
  }
}

TEST(CheckObject, refuses_images_with_the_names_of_tables) {
  BrokenFile file("textures/sm_90/references.cubin");
  const u64 canvas = file.get<u32>(file.symbol("canvas") + test::kStName);
  file.set<u32>(file.data_of(".strtab") + canvas, 0x46555f5f); // "__UF"
  file.set<u16>(file.data_of(".strtab") + canvas + 4, 'T');
  expect_refusal(file, ".symtab", "st_info");
}

TEST(CheckObject, refuses_unknown_kinds_of_symbols) {
  BrokenFile binding = example();
  binding.set<u8>(binding.symbol("_Z6smoothPKfPfi") + test::kStInfo, 0xf2);
  expect_refusal(binding, ".symtab", "st_info");
  for (const u8 info : {0x1f, 0x15, 0x16, 0x14}) { // the last: a file that is global
    BrokenFile type = example();
    type.set<u8>(type.symbol("samples_seen") + test::kStInfo, info);
    expect_refusal(type, ".symtab", "st_info");
  }
}

TEST(CheckObject, refuses_a_file_without_symbols) {
  BrokenFile file = example();
  file.set<u32>(file.header_of(".symtab") + test::kShType, 1);
  EXPECT_TRUE(refusal(file).starts_with("broken.cubin: "));
}

TEST(CheckObject, refuses_records_about_what_is_no_function) {
  BrokenFile file = example();
  // The first record of .nv.info: four bytes of head, then a symbol.
  file.set<u32>(file.data_of(".nv.info") + 4, 1);
  expect_refusal(file, ".nv.info", "record at");
}

TEST(CheckObject, refuses_functions_with_the_name_of_their_section) {
  BrokenFile file = example();
  file.set<u8>(file.symbol(kKernel) + test::kStInfo, 0x02);
  expect_refusal(file, ".symtab", "st_info of symbol");
}

TEST(CheckObject, refuses_variables_in_empty_sections) {
  BrokenFile file("diagnostics/sm_90/checks.cubin");
  constexpr u64 kStSize = 16;
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  ASSERT_TRUE(view);
  const u32 init = file.index_of(".nv.global.init");
  const elf::SymbolTable symbols = view->symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (symbols[i].section == init && symbols[i].type() == elf::SymbolType::CudaObject) {
      file.set<u64>(file.data_of(".symtab") + u64{i} * 24 + test::kStValue, 0);
      file.set<u64>(file.data_of(".symtab") + u64{i} * 24 + kStSize, 0);
    }
  file.set<u64>(file.header_of(".nv.global.init") + test::kShSize, 0);
  expect_refusal(file, ".symtab", "which is empty");
}

TEST(CheckObject, refuses_local_symbols_that_are_defined_nowhere) {
  for (const u8 info : {0x01, 0x02, 0x0d}) { // an object, a function, a variable
    BrokenFile file = example();
    file.set<u8>(file.symbol("_Z9block_sumf") + test::kStInfo, info);
    expect_refusal(file, ".symtab", "st_shndx of symbol");
  }
}

TEST(CheckObject, refuses_functions_with_a_memory_space) {
  for (const u8 space : {elf::kOtherGlobal, elf::kOtherShared, elf::kOtherConstant}) {
    BrokenFile file = example();
    file.set<u8>(file.symbol("_Z9block_sumf") + test::kStOther, space);
    expect_refusal(file, ".symtab", "st_other of symbol");
  }
}

TEST(CheckObject, takes_common_symbols_in_global_memory_only) {
  for (const u8 space : {elf::kOtherGlobal, elf::kOtherShared, elf::kOtherConstant}) {
    BrokenFile file = example();
    const u64 symbol = file.symbol("samples_seen");
    file.set<u8>(symbol + test::kStOther, space);
    file.set<u16>(symbol + test::kStShndx, elf::kSectionCommon);
    file.set<u64>(symbol + test::kStValue, 8);
    if (space == elf::kOtherGlobal)
      EXPECT_TRUE(link(request_of(file)).ok());
    else
      expect_refusal(file, ".symtab", "st_other of symbol");
  }
}

TEST(CheckObject, refuses_functions_that_are_common_symbols) {
  BrokenFile file = example();
  file.set<u16>(file.symbol("_Z9block_sumf") + test::kStShndx, elf::kSectionCommon);
  expect_refusal(file, ".symtab", "st_shndx of symbol");
}

// nvlink knows memory by its name, and gives it the types of objects again. Links this small are
// also checked, so that a wrong bank in code, or one that is taken for wrong, would be a message.
TEST(CheckObject, takes_memory_with_the_types_of_executables) {
  const BrokenFile kernels = example();
  const auto output = [&kernels](const BrokenFile &file, bool relocatable) {
    LinkRequest request = request_of(file);
    request.options.relocatable = relocatable;
    if (!relocatable) // what it calls and what calls it
      request.inputs.push_back(LinkInput::memory("kernels.cubin", kernels.bytes()));
    const LinkResult result = link(request);
    EXPECT_TRUE(result.ok() && result.messages.empty());
    return std::vector<u8>(result.bytes.begin(), result.bytes.end());
  };
  struct Case {
    const char *file;
    const char *section;
    u32 type;
    bool completes = false; // the kernels, to an executable
  };
  constexpr u32 kProgbits = 1, kNobits = 8, kConstant = 0x70000006;
  constexpr const char *kFilter = "vector_math/sm_90/filter.cubin";
  constexpr const char *kJoined = "vector_math/sm_90/relocatable.cubin";
  constexpr const char *kInitialised = "../tests/corpus/s0191-sm_90-unit1.cubin";
  constexpr const char *kUnified = "../tests/golden/unified_tables_pass_through_r/a.cubin";
  constexpr Case kCases[] = {
      {kFilter, ".nv.constant3", kProgbits, true},
      {kFilter, ".nv.constant3", kConstant, true},
      {kFilter, ".nv.global", kNobits, true},
      {kFilter, ".nv_debug.shared", kNobits, true},
      {kJoined, ".nv.constant0._Z5totalPKfPfi", kProgbits},
      {kJoined, ".nv.constant0._Z5totalPKfPfi", kConstant},
      {kJoined, ".nv.shared._Z6smoothPKfPfi", kNobits},
      {kInitialised, ".nv.global.init", kProgbits},
      {kUnified, ".nv.uft.rel.twice", kProgbits},
  };
  for (const Case &one : kCases)
    for (const bool relocatable : {true, false}) {
      if (!relocatable && !one.completes)
        continue;
      const BrokenFile good(one.file);
      BrokenFile file = good;
      file.set<u32>(file.header_of(one.section) + test::kShType, one.type);
      EXPECT_EQ(output(file, relocatable), output(good, relocatable)) << one.section << one.type;
    }
}

TEST(CheckObject, refuses_entries_of_unified_tables_with_the_type_of_executables) {
  for (const char *section : {".nv.uft.entry", ".nv.udt.entry"}) {
    BrokenFile file("../tests/golden/unified_tables_pass_through_r/a.cubin");
    file.set<u32>(file.header_of(section) + test::kShType, 1);
    expect_refusal(file, section, "sh_type");
  }
}

TEST(CheckObject, refuses_parameters_in_the_bank_of_another_kernel) {
  BrokenFile file = example();
  u64 at = file.data_of(".nv.info._Z6smoothPKfPfi");
  while (file.get<u16>(at) != 0x0a04) // PARAM_CBANK, with its size and a symbol behind it
    at += 4;
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  ASSERT_TRUE(view);
  const elf::SymbolTable symbols = view->symbols();
  const u32 other = file.index_of(".nv.constant0._Z5totalPKfPfi");
  for (u32 i = 0; i < symbols.size(); ++i)
    if (symbols[i].section == other)
      file.set<u32>(at + 4, i);
  expect_refusal(file, ".nv.info._Z6smoothPKfPfi", "record at");
}

// The records of one kernel for another one are the same but for the symbol, which is still that of
// the first.
TEST(CheckObject, reads_the_symbols_of_records_that_are_the_same_as_others) {
  BrokenFile file = example();
  const char *const first = ".nv.info._Z5totalPKfPfi", *const second = ".nv.info._Z6smoothPKfPfi";
  const u64 size = file.get<u64>(file.header_of(first) + test::kShSize);
  ASSERT_LE(size, file.get<u64>(file.header_of(second) + test::kShSize));
  for (u64 i = 0; i < size; i += 4)
    file.set<u32>(file.data_of(second) + i, file.get<u32>(file.data_of(first) + i));
  file.set<u64>(file.header_of(second) + test::kShSize, size);
  expect_refusal(file, second, "not in the bank of this function's parameters");
}

TEST(CheckObject, refuses_fields_of_debug_information_that_overlap) {
  BrokenFile file = example();
  const u64 table = file.data_of(".rela.debug_frame");
  constexpr u64 kEntry = 24;
  file.set<u64>(table, file.get<u64>(table + kEntry) + 4);
  expect_refusal(file, ".rela.debug_frame", "already gives a value to the field at");
}

TEST(CheckObject, refuses_fields_of_code_between_instructions) {
  BrokenFile file = example();
  const u64 table = file.data_of(".rela.text._Z6smoothPKfPfi");
  file.set<u64>(table, file.get<u64>(table) + 8);
  expect_refusal(file, ".rela.text._Z6smoothPKfPfi", "no instruction begins at");
}

TEST(CheckObject, refuses_relocations_of_a_section_of_another_name) {
  BrokenFile file = example();
  file.set<u32>(file.header_of(".rela.debug_frame") + test::kShInfo, file.index_of(kKernel));
  expect_refusal(file, ".rela.debug_frame", "is not the section of this name");
}

TEST(CheckObject, refuses_notes_of_another_type) {
  BrokenFile file = example();
  const u64 type = file.header_of(".nv.compat") + test::kShType;
  const std::string_view name = ".note.x";
  file.set<u32>(type, 1); // bytes of no known meaning
  const u64 text = file.data_of(".shstrtab") + file.get<u32>(file.header_of(".nv.compat"));
  for (u64 i = 0; i <= name.size(); ++i)
    file.set<u8>(text + i, i < name.size() ? static_cast<u8>(name[i]) : u8{0});
  expect_refusal(file, ".note.x", "sh_type");
}

TEST(CheckObject, refuses_images_in_memory) {
  BrokenFile space("textures/sm_90/references.cubin");
  space.set<u8>(space.symbol("canvas") + test::kStOther, elf::kOtherShared);
  expect_refusal(space, ".symtab", "st_other of symbol");
  BrokenFile section("textures/sm_90/references.cubin");
  section.set<u16>(section.symbol("canvas") + test::kStShndx,
                   static_cast<u16>(section.index_of(".nv.constant0.paint")));
  expect_refusal(section, ".symtab", "st_shndx of symbol");
}

TEST(CheckObject, refuses_notes_that_are_loaded) {
  BrokenFile file = example();
  const u64 flags = file.header_of(".note.nv.tkinfo") + test::kShFlags;
  file.set<u64>(flags, file.get<u64>(flags) | elf::kFlagAlloc);
  expect_refusal(file, ".note.nv.tkinfo", "sh_flags");
}

TEST(CheckObject, refuses_records_among_strings) {
  BrokenFile file = example();
  file.set<u32>(file.header_of(".nv.info._Z6smoothPKfPfi") + test::kShType,
                static_cast<u32>(elf::SectionType::Strtab));
  expect_refusal(file, ".nv.info._Z6smoothPKfPfi", "sh_type");
}

TEST(CheckObject, refuses_functions_in_the_code_of_a_kernel) {
  BrokenFile file = example();
  const u64 function = file.symbol("_Z9block_sumf");
  file.set<u16>(function + test::kStShndx, static_cast<u16>(file.index_of(kKernel)));
  expect_refusal(file, ".symtab", "st_other of symbol");
}

TEST(CheckObject, refuses_instances_of_dynamic_memory_with_a_size) {
  BrokenFile file("vector_math/sm_90/relocatable.cubin");
  file.set<u64>(file.symbol("externsharedinstance") + test::kStValue + 8, 64);
  expect_refusal(file, ".symtab", "st_size of symbol");
}

TEST(CheckObject, refuses_definitions_of_tables_of_the_system) {
  BrokenFile defined = example();
  defined.set<u16>(defined.symbol("__UFT_OFFSET") + test::kStShndx,
                   static_cast<u16>(defined.index_of(".nv.constant0._Z6smoothPKfPfi")));
  expect_refusal(defined, ".symtab", "st_shndx of symbol");
  BrokenFile function = example();
  function.set<u8>(function.symbol("__UFT_OFFSET") + test::kStInfo, 0x12);
  expect_refusal(function, ".symtab", "with the name of a table");
}

TEST(CheckObject, refuses_constants_of_the_compiler_that_are_not_local) {
  BrokenFile file("vector_math/sm_80/main.cubin");
  file.set<u8>(file.symbol("_param") + test::kStInfo, 0x1d);
  LinkRequest request;
  request.target = "sm_80";
  request.inputs = {LinkInput::memory("broken.cubin", file.bytes())};
  const LinkResult result = link(request);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.messages[0].text.find("st_info of symbol"), std::string::npos);
}

TEST(CheckObject, refuses_functions_between_two_instructions) {
  BrokenFile file("vector_math/sm_90/filter.cubin");
  file.set<u64>(file.symbol("_Z9block_sumf") + test::kStValue, 8);
  file.set<u64>(file.symbol("_Z9block_sumf") + test::kStValue + 8, 16);
  expect_refusal(file, ".symtab", "st_value of symbol");
}

TEST(CheckObject, refuses_names_of_files_in_memory) {
  BrokenFile file = example();
  file.set<u8>(file.symbol("$___ZZ6smoothPKfPfiE6window__39") + test::kStInfo, 0x04);
  expect_refusal(file, ".symtab", "st_info of symbol");
}

TEST(CheckObject, refuses_reserved_memory_that_is_a_function) {
  BrokenFile file = example();
  file.set<u8>(file.symbol(".nv.reservedSmem.offset0") + test::kStInfo, 0x12);
  expect_refusal(file, ".symtab", "of the system");
}

TEST(CheckObject, refuses_dynamic_memory_that_only_the_machine_code_uses) {
  BrokenFile file("vector_math/sm_100/main.cubin");
  const std::vector<u8> filter = test::read_example("vector_math/sm_100/filter.cubin");
  constexpr u64 kEntry = 24, kInfo = 8;
  const u64 table = file.data_of(".nv.merc.rela.text._Z5totalPKfPfi");
  u64 entry = table;
  while (file.get<u32>(entry + kInfo + 4) != file.symbol_index("staged"))
    entry += kEntry;
  file.set<u64>(entry + kInfo, file.get<u64>(table + kInfo));
  LinkRequest request;
  request.target = "sm_100";
  request.options.code = OutputCode::Mercury;
  request.inputs = {LinkInput::memory("broken.cubin", file.bytes()),
                    LinkInput::memory("filter.cubin", filter)};
  const LinkResult result = link(request);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.messages[0].text.find("broken.cubin"), std::string::npos);
  EXPECT_NE(result.messages[0].text.find("'staged'"), std::string::npos);
}

} // namespace
} // namespace culink
