// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/file/verify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "broken_file.h"

namespace culink {
namespace {

using namespace test;

constexpr std::string_view kLinked = "vector_math/sm_90/linked.cubin";
constexpr std::string_view kMercury = "vector_math/sm_100/linked.cubin";

// One thing broken in a good file, and the one rule that must notice.
struct Case {
  Rule rule;
  std::string_view name;
  std::string_view example;
  void (*damage)(BrokenFile &);
};

const Case kCases[] = {
    {Rule::Structure, "section_outside_the_file", kObject,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.prototype") + kShOffset, 1 << 30); }},
    {Rule::HeaderMachine, "other_machine", kObject,
     [](BrokenFile &f) { f.set<u16>(kEMachine, 62); }},
    {Rule::HeaderIdent, "version", kObject, [](BrokenFile &f) { f.set<u32>(kEVersion, 2); }},
    {Rule::HeaderIdent, "padding", kObject, [](BrokenFile &f) { f.set<u8>(12, 1); }},
    {Rule::HeaderAbi, "old_osabi_with_new_version", kObject,
     [](BrokenFile &f) { f.set<u8>(7, 0x33); }},
    {Rule::HeaderAbi, "future_version", kObject, [](BrokenFile &f) { f.set<u8>(8, 9); }},
    {Rule::HeaderType, "shared_library", kObject, [](BrokenFile &f) { f.set<u16>(kEType, 3); }},
    {Rule::HeaderFlags, "unknown_architecture", kObject,
     [](BrokenFile &f) { f.set<u8>(kEFlags + 1, 91); }},
    {Rule::HeaderFlags, "unknown_code_kind", kObject, [](BrokenFile &f) { f.set<u8>(kEFlags, 1); }},
    {Rule::HeaderFlags, "unknown_bits", kObject, [](BrokenFile &f) { f.set<u8>(kEFlags + 2, 1); }},
    {Rule::HeaderCuinfo, "other_section", kObject,
     [](BrokenFile &f) { f.set<u8>(kEFlags + 3, 5); }},
    {Rule::HeaderSizes, "ehsize", kObject, [](BrokenFile &f) { f.set<u16>(kEEhsize, 52); }},
    {Rule::HeaderSizes, "phentsize", kObject, [](BrokenFile &f) { f.set<u16>(kEPhentsize, 32); }},
    {Rule::HeaderTables, "section_table_unaligned", kObject,
     [](BrokenFile &f) {
       const u64 table = f.get<u64>(kEShoff);
       f.bytes().insert(f.bytes().begin() + static_cast<i64>(table), 4, 0);
       f.set<u64>(kEShoff, table + 4);
     }},
    {Rule::SectionNull, "size_in_section_zero", kObject,
     [](BrokenFile &f) { f.set<u64>(f.get<u64>(kEShoff) + kShSize, 7); }},
    {Rule::SectionMissing, "string_table_renamed", kObject,
     [](BrokenFile &f) {
       const u64 header = f.header_of(".strtab");
       f.set<u32>(header + kShName, f.get<u32>(header + kShName) + 1);
     }},
    {Rule::SectionUnique, "two_module_infos", kLinked,
     [](BrokenFile &f) {
       const u64 header = f.header_of(".nv.info._Z8filteredPKf");
       f.set<u32>(header + kShName, f.get<u32>(f.header_of(".nv.info") + kShName));
       f.set<u64>(header + kShFlags, 0);
       f.set<u32>(header + kShInfo, 0);
     }},
    {Rule::SectionType, "info_as_progbits", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.header_of(".nv.compat") + kShType, 1); }},
    {Rule::SectionType, "relocations_as_notes", kObject,
     [](BrokenFile &f) { f.set<u32>(f.header_of(".rela.debug_frame") + kShType, 7); }},
    {Rule::SectionFlags, "constants_writable", kObject,
     [](BrokenFile &f) {
       f.set<u64>(f.header_of(".nv.constant0._Z6smoothPKfPfi") + kShFlags, 0x43);
     }},
    {Rule::SectionFlags, "plain_section_marked_mercury", kMercury,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.callgraph") + kShFlags, elf::kFlagMercury); }},
    {Rule::SectionFlags, "info_link_missing", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.info._Z6smoothPKfPfi") + kShFlags, 0); }},
    {Rule::SectionLink, "cuinfo_without_tkinfo", kObject,
     [](BrokenFile &f) { f.set<u32>(f.header_of(".note.nv.cuinfo") + kShLink, 7); }},
    {Rule::SectionLink, "constants_with_link", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.header_of(".nv.constant3") + kShLink, 3); }},
    {Rule::SectionInfo, "info_of_another_function", kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.header_of(".nv.info._Z9block_sumf") + kShInfo,
                  f.index_of(".text._Z6smoothPKfPfi"));
     }},
    {Rule::SectionInfo, "relocations_of_another_section", kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.header_of(".rela.text._Z5totalPKfPfi") + kShInfo,
                  f.index_of(".text._Z6smoothPKfPfi"));
     }},
    {Rule::SectionInfo, "cuinfo_without_compat", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.header_of(".note.nv.cuinfo") + kShInfo, 3); }},
    {Rule::SectionEntry, "callgraph_entries", kObject,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.callgraph") + kShEntsize, 4); }},
    {Rule::SectionAlign, "text_alignment", kObject,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".text._Z6smoothPKfPfi") + kShAlign, 4); }},
    {Rule::SectionAlign, "offset_not_aligned", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.info") + kShAlign, 0x1000); }},
    {Rule::SectionAddress, "address", kObject,
     [](BrokenFile &f) { f.set<u64>(f.header_of(".nv.compat") + kShAddr, 0x1000); }},
    {Rule::SectionOverlap, "data_over_data", kLinked,
     [](BrokenFile &f) {
       const u64 header = f.header_of(".debug_frame");
       f.set<u64>(header + kShSize, f.get<u64>(header + kShSize) + 4);
     }},
    {Rule::SectionGap, "bytes_in_padding", kLinked,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".text._Z5totalPKfPfi") - 1, 1); }},
    {Rule::FileTrailing, "appended_bytes", kLinked,
     [](BrokenFile &f) { f.bytes().insert(f.bytes().end(), 3, 0); }},
    {Rule::TextSize, "half_an_instruction", kObject,
     [](BrokenFile &f) {
       const u64 header = f.header_of(".text._Z6smoothPKfPfi");
       const u64 end = f.data_of(".text._Z6smoothPKfPfi") + f.get<u64>(header + kShSize);
       f.set<u64>(header + kShSize, f.get<u64>(header + kShSize) - 8);
       f.set<u64>(end - 8, 0);
       const u64 symbol = f.symbol("_Z6smoothPKfPfi");
       f.set<u64>(symbol + 16, f.get<u64>(symbol + 16) - 8);
     }},
    {Rule::TextSymbol, "symbol_of_another_function", kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.header_of(".text._Z6smoothPKfPfi") + kShInfo, f.symbol_index("_Z9block_sumf"));
     }},
    {Rule::TextSymbol, "no_such_symbol", kMercury,
     [](BrokenFile &f) {
       f.set<u32>(f.header_of(".nv.capmerc.text._Z6smoothPKfPfi") + kShInfo, 0xffff);
     }},
    {Rule::SymbolNull, "null_symbol_named", kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".symtab") + kStInfo, 0x10); }},
    {Rule::SymbolNull, "null_symbol_has_a_value", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.data_of(".symtab") + kStValue, 8); }},
    {Rule::SymbolOrder, "local_after_globals", kLinked,
     [](BrokenFile &f) { f.set<u8>(f.symbol("_Z8filteredPKf") + kStInfo, 0x02); }},
    {Rule::SymbolKind, "unknown_type", kLinked,
     [](BrokenFile &f) { f.set<u8>(f.symbol("samples_seen") + kStInfo, 0x17); }},
    {Rule::SymbolKind, "unknown_binding", kLinked,
     [](BrokenFile &f) { f.set<u8>(f.symbol("samples_seen") + kStInfo, 0x51); }},
    {Rule::SymbolOther, "function_in_shared_memory", kLinked,
     [](BrokenFile &f) { f.set<u8>(f.symbol("_Z8filteredPKf") + kStOther, 0x40); }},
    {Rule::SymbolValue, "beyond_its_section", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.symbol("samples_seen") + kStValue, 4); }},
    {Rule::SymbolSection, "value_of_section_symbol", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.symbol(".debug_frame") + kStValue, 4); }},
    {Rule::SymbolSection, "section_symbol_of_another_name", kLinked,
     [](BrokenFile &f) {
       f.set<u32>(f.symbol(".debug_frame") + kStName,
                  f.get<u32>(f.symbol(".nv.callgraph") + kStName));
     }},
    {Rule::SymbolFunction, "function_in_data", kLinked,
     [](BrokenFile &f) {
       // Not the function that a .text section names: an undefined one that becomes defined.
       f.set<u16>(f.symbol("samples_seen") + kStShndx,
                  static_cast<u16>(f.index_of(".nv.constant3")));
       f.set<u8>(f.symbol("samples_seen") + kStInfo, 0x12);
     }},
    {Rule::RelocationType, "unknown_type", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".rela.text._Z6smoothPKfPfi") + 8, 0x7f); }},
    {Rule::RelocationType, "mercury_type_in_plain_table", kMercury,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".rela.text._Z6smoothPKfPfi") + 8, 0x10001); }},
    {Rule::RelocationOffset, "field_beyond_the_end", kLinked,
     [](BrokenFile &f) {
       const u64 size = f.get<u64>(f.header_of(".debug_frame") + kShSize);
       f.set<u64>(f.data_of(".rela.debug_frame"), size - 4);
     }},
    {Rule::RelocationAlign, "between_instructions", kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".rela.text._Z6smoothPKfPfi"), 0x18); }},
    {Rule::InfoFraming, "size_beyond_the_end", kObject,
     [](BrokenFile &f) { f.set<u16>(f.data_of(".nv.info") + 2, 0x4000); }},
    {Rule::InfoRecord, "payload_of_another_size", kObject,
     [](BrokenFile &f) { // the first two records, 12 bytes each, become one of 20 bytes
       f.set<u16>(f.data_of(".nv.info") + 2, 20);
     }},
    {Rule::InfoSymbol, "no_such_symbol", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.info") + 4, 5000); }},
    {Rule::InfoSymbol, "registers_of_a_variable", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.info") + 8, f.symbol_index("samples_seen")); }},
    {Rule::InfoOffset, "exit_between_instructions", kObject,
     [](BrokenFile &f) {
       u64 at = f.data_of(".nv.info._Z6smoothPKfPfi");
       while (f.get<u16>(at) != 0x1c04) // EXIT_INSTR_OFFSETS
         at += 4;
       f.set<u32>(at + 4, f.get<u32>(at + 4) + 8);
     }},
    {Rule::CapsuleText, "section_of_another_function", kMercury,
     [](BrokenFile &f) {
       f.set<u32>(f.data_of(".nv.capmerc.text._Z6smoothPKfPfi"), f.index_of(".text._Z9block_sumf"));
     }},
    {Rule::CapsuleFraming, "more_instructions_than_records", kMercury,
     [](BrokenFile &f) {
       const u64 at = f.data_of(".nv.capmerc.text._Z6smoothPKfPfi") + 8;
       f.set<u32>(at, f.get<u32>(at) + 0x10000);
     }},
    {Rule::CapsuleSize, "padding_that_is_not_there", kMercury,
     [](BrokenFile &f) {
       const u64 header = f.header_of(".nv.capmerc.text._Z6smoothPKfPfi");
       const u64 end = f.get<u64>(header + kShOffset) + f.get<u64>(header + kShSize);
       f.set<u8>(end - 1, static_cast<u8>(f.get<u8>(end - 1) + 1)); // of the last record
     }},
    {Rule::MirrorSection, "table_of_another_name", kMercury,
     [](BrokenFile &f) {
       constexpr std::string_view kTable = ".nv.merc.rela.debug_frame";
       const u64 name = f.data_of(".shstrtab") + f.get<u32>(f.header_of(kTable) + kShName);
       f.set<u8>(name + kTable.size() - 1, 'x');
     }},
    {Rule::MirrorSymbol, "name_of_another_function", kMercury,
     [](BrokenFile &f) {
       const u64 at = f.data_of(".nv.merc.symtab") + 24 * f.symbol_index("_Z9block_sumf");
       f.set<u32>(at + kStName, f.get<u32>(f.symbol("_Z8filteredPKf") + kStName));
     }},
    {Rule::MirrorBytes, "registers_only_in_mercury", kMercury,
     [](BrokenFile &f) {
       const u64 at = f.data_of(".nv.merc.nv.info") + 8; // of its first record: a count
       f.set<u32>(at, f.get<u32>(at) + 1);
     }},
    {Rule::CallGraphFraming, "parts_out_of_order", kObject,
     [](BrokenFile &f) { f.set<i32>(f.data_of(".nv.callgraph") + 4, -2); }},
    {Rule::CallGraphSymbol, "caller_is_no_function", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.callgraph") + 8, 1); }},
    {Rule::CallGraphString, "prototype_outside", "function_pointers/sm_90/linked.cubin",
     [](BrokenFile &f) {
       u64 at = f.data_of(".nv.callgraph");
       while (f.get<i32>(at + 4) != -2)
         at += 8;
       f.set<u32>(at + 8 + 4, 0x100000);
     }},
    {Rule::PrototypeSymbol, "no_function", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.prototype"), 1); }},
    {Rule::PrototypeString, "outside", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.prototype") + 4, 0x100000); }},
    {Rule::NoteFraming, "descriptor_beyond_the_end", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".note.nv.cuinfo") + 4, 0x100); }},
    {Rule::NoteName, "other_owner", kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".note.nv.cuinfo") + 12, 'M'); }},
    {Rule::NoteToolkit, "string_outside", kObject,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".note.nv.tkinfo") + 12 + 12 + 8, 0x1000); }},
    {Rule::NoteCuda, "unknown_version", kObject,
     [](BrokenFile &f) { f.set<u16>(f.data_of(".note.nv.cuinfo") + 12 + 12, 0); }},
    {Rule::CompatFraming, "unknown_format", kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".nv.compat"), 9); }},
    {Rule::CompatRecord, "format_of_another_attribute", kObject,
     [](BrokenFile &f) { f.set<u8>(f.data_of(".nv.compat"), 3); }},
    {Rule::ActionType, "unknown_type", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.data_of(".nv.rel.action"), 0x7f); }},
    {Rule::SegmentPresence, "relocatable_with_segments", kLinked,
     [](BrokenFile &f) { f.set<u16>(kEType, 1); }},
    {Rule::SegmentTable, "no_phdr", kLinked,
     [](BrokenFile &f) { f.set<u32>(f.segment(0) + kPType, 1); }},
    {Rule::SegmentFields, "address", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.segment(1) + kPVaddr, 0x1000); }},
    {Rule::SegmentFields, "alignment", kLinked,
     [](BrokenFile &f) { f.set<u64>(f.segment(1) + kPAlign, 16); }},
    {Rule::SegmentCover, "code_in_no_segment", kLinked,
     [](BrokenFile &
            f) { f.set<u64>(f.segment(1) + 32, 0x100), f.set<u64>(f.segment(1) + kPMemsz, 0x100); }},
    {Rule::SegmentCover, "too_little_memory", kLinked,
     [](BrokenFile
            &f) { f.set<u64>(f.segment(2) + kPMemsz, f.get<u64>(f.segment(2) + kPMemsz) - 8); }},
};

std::set<std::string> broken_rules(const std::vector<u8> &file, std::string &text) {
  std::set<std::string> ids;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file);
  if (!view)
    return {"unreadable"};
  for (const Finding &finding : verify_device_elf(*view)) {
    ids.insert(std::string(rule_id(finding.rule)));
    text += finding.what.text() + " [" + std::string(rule_id(finding.rule)) + "]\n";
  }
  return ids;
}

u32 expect_every_cubin_sound(const char *folder) {
  u32 files = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cubin")
      continue;
    const Result<MappedFile> file = MappedFile::open(entry.path());
    if (!file) {
      ADD_FAILURE() << entry.path();
      continue;
    }
    std::string text;
    broken_rules({file->bytes().begin(), file->bytes().end()}, text);
    EXPECT_EQ(text, "") << entry.path();
    ++files;
  }
  return files;
}

TEST(Verify, AcceptsEveryShippedCubin) {
  EXPECT_GE(expect_every_cubin_sound(CULINK_SOURCE_DIR "/examples"), 20u);
  EXPECT_GE(expect_every_cubin_sound(CULINK_SOURCE_DIR "/tests/corpus"), 30u);
}

TEST(Verify, EachDamageBreaksExactlyItsRule) {
  for (const Case &test : kCases) {
    BrokenFile file(test.example);
    test.damage(file);
    std::string text;
    const std::set<std::string> expected{std::string(rule_id(test.rule))};
    EXPECT_EQ(broken_rules(file.bytes(), text), expected) << test.name << ":\n" << text;
  }
}

TEST(Verify, EveryRuleHasACase) {
  std::set<Rule> covered;
  for (const Case &test : kCases)
    covered.insert(test.rule);
  for (const RuleRow &row : verify_rules())
    EXPECT_TRUE(covered.contains(row.rule)) << row.id;
}

TEST(Verify, RuleIdsAreUniqueAndExplained) {
  std::set<std::string_view> ids;
  for (const RuleRow &row : verify_rules()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_FALSE(row.text.empty()) << row.id;
    EXPECT_EQ(rule_id(row.rule), row.id);
  }
}

TEST(Verify, OneFindingPerRuleAndSectionWithACount) {
  BrokenFile file(kLinked);
  const u64 info = file.data_of(".nv.info") + 4; // behind a record of four bytes
  file.set<u32>(info + 4, 5000);
  file.set<u32>(info + 16, 5000);
  file.set<u32>(info + 28, 5000);
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file.bytes());
  ASSERT_TRUE(view);
  const std::vector<Finding> findings = verify_device_elf(*view);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      findings[0].what.text(),
      "section 7 '.nv.info', record at 0x4: EIATTR_FRAME_SIZE names symbol 5000, there are 24 "
      "(and 2 more in this section)");
}

// Every byte of a small file, each changed in turn: no crash, and the view's and the verifier's
// reading of the file stay consistent (a sanitizer build would see anything worse).
TEST(Verify, AnyOneByteMayChange) {
  BrokenFile file(kObject);
  u32 noticed = 0;
  for (u8 &byte : file.bytes()) {
    byte ^= 0xff;
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file.bytes());
    if (!view || !verify_device_elf(*view).empty())
      ++noticed;
    byte ^= 0xff;
  }
  EXPECT_GT(noticed, file.bytes().size() / 4);
}

} // namespace
} // namespace culink
