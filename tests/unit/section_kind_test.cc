// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/section_kind.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "support/mapped_file.h"

namespace culink::elf {
namespace {

using T = SectionType;

// Names that a rule stands for, with the owner each should give.
std::vector<std::pair<std::string, std::string>> examples(const SectionNameRule &rule) {
  const std::string name(rule.name);
  switch (rule.match) {
  case NameMatch::Exact:
    return {{name, ""}};
  case NameMatch::Owned:
    return {{name + "._Z1kPi", "_Z1kPi"}};
  case NameMatch::ExactOrOwned:
    return {{name, ""}, {name + "._Z1kPi", "_Z1kPi"}, {name + ".a.b$c", "a.b$c"}};
  case NameMatch::Prefix:
    return {{name + "any", ""}, {name, ""}};
  case NameMatch::Numbered:
    return {{name + "0", ""}, {name + "17", ""}, {name + "2.kernel", "kernel"}};
  }
  return {};
}

TEST(SectionKind, EveryRuleClassifiesItsNameInBothForms) {
  for (const SectionNameRule &rule : section_name_rules())
    for (const auto &[name, owner] : examples(rule))
      for (const T type : {rule.type, rule.plain_type}) {
        SCOPED_TRACE(name);
        const SectionKind found = classify_section(name, type, 0);
        EXPECT_EQ(found.role, rule.role);
        EXPECT_EQ(found.owner, owner);
        EXPECT_FALSE(found.mercury);
        if (rule.match != NameMatch::Numbered) {
          EXPECT_EQ(found.bank, rule.bank);
        }
      }
}

TEST(SectionKind, TheCudaNoteHadAnotherNameInToolkit12) {
  EXPECT_EQ(classify_section(".note.nv.cuver", T::Note, kFlagCuinfoNote).role,
            SectionRole::NoteCuinfo);
  EXPECT_EQ(classify_section(".note.nv.cuver", T::Note, 0).role, SectionRole::NoteCuver);
}

TEST(SectionKind, EveryRuleHoldsForTheMercuryMirrorToo) {
  for (const SectionNameRule &rule : section_name_rules())
    for (const auto &[name, owner] : examples(rule)) {
      if (!name.starts_with('.'))
        continue;
      SCOPED_TRACE(name);
      const std::string mirror = ".nv.merc" + name;
      const SectionKind found = classify_section(mirror, rule.type, kFlagMercury);
      EXPECT_EQ(found.role, rule.role);
      EXPECT_EQ(found.owner, owner);
      EXPECT_TRUE(found.mercury);
    }
}

// A name that belongs to no one is left to the type, whatever the rule it resembles.
TEST(SectionKind, EveryRuleRefusesANameThatOnlyStartsLikeIt) {
  for (const SectionNameRule &rule : section_name_rules()) {
    if (rule.match == NameMatch::Prefix || rule.match == NameMatch::Numbered)
      continue;
    const std::string name = std::string(rule.name) + "x";
    EXPECT_EQ(classify_section(name, T::Progbits, 0).role, SectionRole::Unknown) << name;
  }
}

TEST(SectionKind, EveryRoleHasItsOwnName) {
  std::set<std::string_view> names;
  for (u32 i = 0; i < kSectionRoleCount; ++i)
    names.insert(name_of_section_role(static_cast<SectionRole>(i)));
  EXPECT_EQ(names.size(), kSectionRoleCount);
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(name_of_section_role(SectionRole::Unknown), "unknown");
  EXPECT_EQ(name_of_section_role(SectionRole::CapmercText), "capmerc-text");
  EXPECT_EQ(name_of_section_role(SectionRole::ReservedShared), "reserved-shared");
  EXPECT_EQ(name_of_section_role(SectionRole::Uidx), "uidx");
  EXPECT_EQ(name_of_section_role(SectionRole::ModuleId), "module-id");
}

TEST(SectionKind, ConstantBanksComeFromNameOrType) {
  for (u8 bank = 0; bank <= kLastConstantBank; ++bank) {
    const std::string name = ".nv.constant" + std::to_string(bank);
    const T type = static_cast<T>(static_cast<u32>(T::CudaConstantB0) + bank);
    const SectionKind expected{.role = SectionRole::Constant, .bank = bank};
    EXPECT_EQ(classify_section(name, type, 2), expected) << name;
    EXPECT_EQ(classify_section(name, T::Progbits, 2), expected) << name;
    EXPECT_EQ(classify_section(name, T::CudaConstant, 2), expected) << name;
    EXPECT_EQ(classify_section("odd name", type, 2), expected) << name;
    const std::string owned_name = name + ".k";
    const SectionKind owned = classify_section(owned_name, T::Progbits, 0x42);
    EXPECT_EQ(owned.bank, bank);
    EXPECT_EQ(owned.owner, "k");
  }
  for (const char *name : {".nv.constant", ".nv.constant18", ".nv.constant007", ".nv.constant3x"})
    EXPECT_EQ(classify_section(name, T::Progbits, 2).role, SectionRole::Unknown) << name;
  const SectionKind user = classify_section(".nv.constant.user", T::MercuryConstantUser, 2);
  EXPECT_EQ(user.role, SectionRole::ConstantNamed);
  EXPECT_EQ(user.bank, static_cast<u8>(ConstantUse::User));
}

TEST(SectionKind, TypeDecidesWhereItContradictsTheName) {
  EXPECT_EQ(classify_section(".nv.global", T::CudaShared, 3).role, SectionRole::Shared);
  EXPECT_EQ(classify_section(".nv.constant3", T::CudaConstantB17, 2).bank, 17);
  EXPECT_EQ(classify_section(".text.k", T::Strtab, 0).role, SectionRole::StringTable);
  EXPECT_EQ(classify_section(".nv.info.k", T::Progbits, 0).role, SectionRole::Unknown);
  EXPECT_EQ(classify_section(".symtab", T::Rela, 0).role, SectionRole::Rela);
}

TEST(SectionKind, FlagsDecideWhereNameAndTypeDoNot) {
  EXPECT_EQ(classify_section("code", T::Progbits, kFlagAlloc | kFlagExec).role, SectionRole::Text);
  EXPECT_EQ(classify_section("code", T::Progbits, kFlagAlloc).role, SectionRole::Unknown);
  EXPECT_EQ(classify_section("n", T::Note, kFlagTkinfoNote).role, SectionRole::NoteTkinfo);
  EXPECT_EQ(classify_section("n", T::Note, kFlagCuinfoNote | kFlagInfoLink).role,
            SectionRole::NoteCuinfo);
  EXPECT_EQ(classify_section("n", T::Note, 0).role, SectionRole::Note);
}

TEST(SectionKind, RelocationsAreOwnedByTheirTargetsFunction) {
  const SectionKind rela = classify_section(".rela.text.f", T::Rela, kFlagInfoLink);
  EXPECT_EQ(rela, (SectionKind{.role = SectionRole::Rela, .owner = "f"}));
  const SectionKind rel = classify_section(".rel.nv.constant0.k", T::Rel, 0);
  EXPECT_EQ(rel, (SectionKind{.role = SectionRole::Rel, .owner = "k"}));
  const SectionKind resolved =
      classify_section(".nv.resolvedrela.text.f", T::CudaResolvedRela, kFlagInfoLink);
  EXPECT_EQ(resolved, (SectionKind{.role = SectionRole::ResolvedRela, .owner = "f"}));
  EXPECT_EQ(classify_section(".rela.debug_frame", T::Rela, kFlagInfoLink).owner, "");
  EXPECT_TRUE(rela.is_relocations() && rel.is_relocations() && resolved.is_relocations());
}

TEST(SectionKind, MercuryTablesAreWhatTheyMirror) {
  const SectionKind rela = classify_section(".nv.merc.rela.text.f", T::MercuryRela, 0x10000040);
  EXPECT_EQ(rela, (SectionKind{.role = SectionRole::Rela, .mercury = true, .owner = "f"}));
  const SectionKind symtab = classify_section(".nv.merc.symtab", T::MercurySymtab, kFlagMercury);
  EXPECT_EQ(symtab, (SectionKind{.role = SectionRole::SymbolTable, .mercury = true}));
  const SectionKind info = classify_section(".nv.merc.nv.info.f", T::MercuryInfo, 0x10000040);
  EXPECT_EQ(info, (SectionKind{.role = SectionRole::Info, .mercury = true, .owner = "f"}));
  const SectionKind optimizer =
      classify_section(".nv.merc.nv.constant.optimizer.f", T::MercuryConstantOpt2, 0x10000042);
  EXPECT_EQ(optimizer, (SectionKind{.role = SectionRole::ConstantNamed,
                                    .bank = static_cast<u8>(ConstantUse::Optimizer),
                                    .mercury = true,
                                    .owner = "f"}));
  const SectionKind resolved =
      classify_section(".nv.merc.nv.resolvedrela.text.f", T::MercuryResolvedRela, 0x10000040);
  EXPECT_EQ(resolved,
            (SectionKind{.role = SectionRole::ResolvedRela, .mercury = true, .owner = "f"}));
  const SectionKind calls =
      classify_section(".nv.merc.nv.callgraph", T::MercuryCallgraph, kFlagMercury);
  EXPECT_EQ(calls, (SectionKind{.role = SectionRole::Callgraph, .mercury = true}));
  const SectionKind prototypes =
      classify_section(".nv.merc.nv.prototype", T::MercuryPrototype, kFlagMercury);
  EXPECT_EQ(prototypes, (SectionKind{.role = SectionRole::Prototype, .mercury = true}));
  const SectionKind capsule = classify_section(".nv.capmerc.text.f", T::CudaCapmerc, kFlagMercury);
  EXPECT_EQ(capsule,
            (SectionKind{.role = SectionRole::CapmercText, .mercury = true, .owner = "f"}));
  EXPECT_EQ(classify_section("x", T::CudaMercury, 0),
            (SectionKind{.role = SectionRole::MercuryText, .mercury = true}));
  EXPECT_FALSE(classify_section(".nv.mercy", T::Progbits, 0).mercury);
}

// `reserved` is a possible kernel name, `reserved.0` is not.
TEST(SectionKind, ReservedSharedMemoryIsNoKernel) {
  EXPECT_EQ(classify_section(".nv.shared.reserved.0", T::Nobits, 3),
            (SectionKind{.role = SectionRole::ReservedShared}));
  EXPECT_EQ(classify_section(".nv.shared.reserved", T::Nobits, 3),
            (SectionKind{.role = SectionRole::Shared, .owner = "reserved"}));
}

TEST(SectionKind, SectionsOfFunctionsBelongToThem) {
  const SectionKind bank{.role = SectionRole::Constant, .bank = 0, .owner = "k"};
  EXPECT_EQ(classify_section(".nv.constant0.k", T::CudaConstantB0, 2), bank);
  EXPECT_EQ(classify_section(".nv.constant0.k", T::Progbits, 2), bank);
  const SectionKind shared{.role = SectionRole::Shared, .owner = "k"};
  EXPECT_EQ(classify_section(".nv.shared.k", T::CudaShared, 3), shared);
  EXPECT_EQ(classify_section(".nv.shared.k", T::Nobits, 3), shared);
  for (const auto &[name, type] :
       std::vector<std::pair<std::string_view, T>>{{".text.f", T::Progbits},
                                                   {".nv.info.f", T::CudaInfo},
                                                   {".rela.text.f", T::Rela},
                                                   {".nv.constant0.f", T::CudaConstantB0},
                                                   {".nv.shared.f", T::Nobits}}) {
    EXPECT_EQ(classify_section(name, type, 0).owner, "f") << name;
    EXPECT_TRUE(classify_section(name, type, kFlagMercury).mercury) << name;
  }
}

TEST(SectionKind, SectionsAreOfTheSameKindTogetherAndAlone) {
  std::vector<Section> sections(4);
  sections[1].name = ".text.f";
  sections[1].type = T::Progbits;
  sections[2].name = ".nv.merc.rela.text.f";
  sections[2].type = T::MercuryRela;
  sections[2].flags = kFlagMercury;
  sections[3].name = ".nv.constant3";
  sections[3].type = T::Progbits;
  const std::vector<SectionKind> kinds = classify_sections(sections);
  ASSERT_EQ(kinds.size(), sections.size());
  for (size_t i = 0; i < kinds.size(); ++i)
    EXPECT_EQ(kinds[i], classify_section(sections[i].name, sections[i].type, sections[i].flags))
        << i;
  EXPECT_TRUE(kinds[2].mercury);
  EXPECT_EQ(kinds[3].bank, 3);
}

// Files that ptxas and nvlink wrote, objects and linked, with and without debug information.
TEST(SectionKind, EverySectionOfTheShippedCubinsHasARole) {
  u32 files = 0;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(CULINK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".cubin")
      continue;
    ++files;
    const Result<MappedFile> bytes = MappedFile::open(entry.path().string());
    ASSERT_TRUE(bytes) << entry.path();
    const Result<ElfView> view = ElfView::open(bytes->bytes());
    ASSERT_TRUE(view) << entry.path();
    for (const Section &section : view->sections()) {
      const SectionKind found = classify_section(section.name, section.type, section.flags);
      EXPECT_NE(found.role, SectionRole::Unknown) << entry.path() << ' ' << section.name;
      EXPECT_EQ(found.mercury, section.is_mercury()) << entry.path() << ' ' << section.name;
    }
  }
  EXPECT_GT(files, 0u);
}

} // namespace
} // namespace culink::elf
