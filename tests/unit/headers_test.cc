// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/headers.h"

#include <gtest/gtest.h>

namespace culink::text {
namespace {

using elf::FileType;
using elf::SectionType;

TEST(SectionDefaults, every_named_section_has_the_type_of_its_rule) {
  for (const elf::SectionNameRule &rule : elf::section_name_rules()) {
    std::string name(rule.name);
    SectionType type = rule.type;
    if (rule.match == elf::NameMatch::Numbered) {
      name += "3";
      type = static_cast<SectionType>(static_cast<u32>(SectionType::CudaConstantB0) + 3);
    }
    if (rule.match == elf::NameMatch::Owned)
      name += ".f";
    EXPECT_EQ(default_section_type(name, FileType::Relocatable), type) << name;
    EXPECT_EQ(default_section_type(name, FileType::Executable), rule.plain_type) << name;
  }
}

TEST(SectionDefaults, what_belongs_to_a_function_points_to_its_code) {
  struct Case {
    std::string_view name;
    SectionType type;
    std::string_view info_section, info_symbol, link;
  };
  const Case cases[] = {
      {".text.f", SectionType::Progbits, "", "f", ".symtab"},
      {".rela.text.f", SectionType::Rela, ".text.f", "", ".symtab"},
      {".rel.nv.constant0.f", SectionType::Rel, ".nv.constant0.f", "", ".symtab"},
      {".nv.resolvedrela.text.f", SectionType::CudaResolvedRela, ".text.f", "", ".symtab"},
      {".nv.info.f", SectionType::CudaInfo, ".text.f", "", ".symtab"},
      {".nv.shared.f", SectionType::CudaShared, ".text.f", "", ""},
      {".nv.constant0.f", SectionType::CudaConstantB0, ".text.f", "", ""},
      {".nv.capmerc.text.f", SectionType::CudaCapmerc, "", "f", ".nv.merc.symtab"},
      {".nv.merc.nv.info.f", SectionType::MercuryInfo, ".nv.capmerc.text.f", "", ".nv.merc.symtab"},
      {".nv.merc.rela.text.f", SectionType::MercuryRela, ".nv.capmerc.text.f", "",
       ".nv.merc.symtab"},
      {".nv.merc.rela.debug_frame", SectionType::MercuryRela, ".nv.merc.debug_frame", "",
       ".nv.merc.symtab"},
      {".nv.merc.symtab", SectionType::MercurySymtab, "", "", ".strtab"},
      {".nv.global", SectionType::CudaGlobal, "", "", ""},
  };
  for (const Case &c : cases) {
    const SectionType type = default_section_type(c.name, FileType::Relocatable);
    EXPECT_EQ(type, c.type) << c.name;
    const SectionDefaults defaults = section_defaults(c.name, type, {});
    EXPECT_EQ(defaults.info_section, c.info_section) << c.name;
    EXPECT_EQ(defaults.info_symbol, c.info_symbol) << c.name;
    EXPECT_EQ(defaults.link, c.link) << c.name;
    EXPECT_EQ((defaults.flags & elf::kFlagInfoLink) != 0, !c.info_section.empty()) << c.name;
    EXPECT_EQ((defaults.flags & elf::kFlagMercury) != 0, c.name.find("merc.") != c.name.npos)
        << c.name;
  }
}

TEST(SectionDefaults, tables_of_class_32_are_narrow) {
  const FileFacts narrow{FileType::Relocatable, elf::ElfClass::Elf32, false};
  EXPECT_EQ(section_defaults(".symtab", SectionType::Symtab, narrow).entsize, 16u);
  EXPECT_EQ(section_defaults(".rela.text.f", SectionType::Rela, narrow).entsize, 12u);
  EXPECT_EQ(section_defaults(".rel.text.f", SectionType::Rel, narrow).entsize, 8u);
}

TEST(SectionDefaults, a_type_without_the_name_is_no_trouble) {
  for (const SectionType type : {SectionType::MercuryRela, SectionType::Rela, SectionType::CudaInfo,
                                 SectionType::CudaCapmerc, SectionType::MercuryInfo})
    EXPECT_EQ(section_defaults("", type, {}).info_section, "");
}

} // namespace
} // namespace culink::text
