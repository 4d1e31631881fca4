// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include "elf/records/nv_info.h"
#include "examples.h"
#include "input/load_object.h"
#include "support/bytes.h"

namespace culink {
namespace {

constexpr const char *kMercuryObject = "vector_math/sm_100/main.cubin";

class Plane : public testing::Test {
protected:
  std::vector<u8> bytes_ = test::read_example(kMercuryObject);

  [[nodiscard]] InputObject object() const {
    Result<elf::ElfView> view = elf::ElfView::open(bytes_);
    EXPECT_TRUE(view);
    Result<InputObject> object = parse_object("main.cubin", std::move(*view));
    EXPECT_TRUE(object);
    return std::move(*object);
  }
  u8 *mercury_symbol(u32 index) {
    const InputObject whole = object();
    const elf::Section *table = whole.view.find(".nv.merc.symtab");
    return bytes_.data() + table->offset + u64{index} * 24;
  }
};

TEST_F(Plane, SaysOfAFunctionWhatTheMachineCodeSays) {
  const InputObject sound = object();
  const elf::Section *records = sound.view.find(".nv.merc.nv.info._Z6smoothPKfPfi");
  ASSERT_NE(records, nullptr);
  u8 *at = bytes_.data() + records->offset;
  while (at[1] != static_cast<u8>(elf::InfoAttribute::MaxregCount))
    at += 4 + (at[0] == static_cast<u8>(elf::RecordFormat::Sized) ? load_le<u16>(at + 2) : 0);
  store_le<u16>(at + 2, 32);
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(".nv.merc.nv.info._Z6smoothPKfPfi"), std::string::npos);
}

TEST_F(Plane, HasExitsWhereTheMachineCodeHas) {
  const InputObject sound = object();
  const elf::Section *records = sound.view.find(".nv.merc.nv.info._Z6smoothPKfPfi");
  ASSERT_NE(records, nullptr);
  u8 *at = bytes_.data() + records->offset;
  while (at[1] != static_cast<u8>(elf::InfoAttribute::ExitInstrOffsets))
    at += 4 + (at[0] == static_cast<u8>(elf::RecordFormat::Sized) ? load_le<u16>(at + 2) : 0);
  at[1] = static_cast<u8>(elf::InfoAttribute::CoopGroupInstrOffsets);
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(".nv.merc.nv.info._Z6smoothPKfPfi"), std::string::npos);
}

TEST_F(Plane, HasTheTablesOfTheMachineCode) {
  const InputObject sound = object();
  const elf::Section *table = sound.view.find(".nv.merc.rela.text._Z5totalPKfPfi");
  const elf::Section *other = sound.view.find(".text._Z6smoothPKfPfi");
  ASSERT_TRUE(table && other);
  constexpr u64 kHeader = 64, kShInfo = 44;
  store_le<u32>(bytes_.data() + sound.view.header().shoff + table->index * kHeader + kShInfo,
                other->index);
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(".nv.merc.rela.text._Z5totalPKfPfi', sh_info"),
            std::string::npos);
}

TEST_F(Plane, HasCodeForItsFunctions) {
  const InputObject sound = object();
  u32 function = 0;
  while (sound.symbols[function].name != "_Z6smoothPKfPfi")
    ++function;
  store_le<u64>(mercury_symbol(function) + 16, 0);
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(".nv.capmerc.text._Z6smoothPKfPfi', sh_info"),
            std::string::npos);
}

TEST_F(Plane, HasFunctionsWhereTheMachineCodeHas) {
  const InputObject sound = object();
  const elf::Section *other = sound.view.find(".nv.capmerc.text._Z5totalPKfPfi");
  ASSERT_NE(other, nullptr);
  u32 function = 0;
  while (sound.symbols[function].name != "_Z6smoothPKfPfi")
    ++function;
  store_le<u16>(mercury_symbol(function) + 6, static_cast<u16>(other->index));
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find("is not the Mercury form of"), std::string::npos);
}

TEST_F(Plane, HasTheRegistersOfTheMachineCode) {
  const InputObject sound = object();
  const elf::Section *records = sound.view.find(".nv.merc.nv.info");
  ASSERT_NE(records, nullptr);
  u8 *at = bytes_.data() + records->offset;
  while (at[1] != static_cast<u8>(elf::InfoAttribute::Regcount))
    at += 4 + load_le<u16>(at + 2);
  at[8] ^= 1;
  const Result<InputObject> plane = parse_mercury_plane(object());
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find("REGCOUNT"), std::string::npos);
}

TEST_F(Plane, HasTheNumbersOfTheMachineCode) {
  const InputObject whole = object();
  const Result<InputObject> plane = parse_mercury_plane(whole);
  ASSERT_TRUE(plane) << plane.error().text();
  ASSERT_EQ(plane->view.sections().size(), whole.view.sections().size());
  ASSERT_EQ(plane->symbols.size(), whole.symbols.size());
  u32 code = 0, tables = 0;
  for (const elf::Section &section : whole.view.sections()) {
    const elf::Section &twin = plane->section(section.index);
    const elf::SectionKind &kind = whole.kinds[section.index];
    if (kind.mercury || (kind.is_constant() && kind.bank == 0)) {
      EXPECT_EQ(twin.type, elf::SectionType::Null) << section.name;
      continue;
    }
    EXPECT_EQ(twin.name, section.name);
    EXPECT_EQ(twin.type, section.type) << section.name;
    EXPECT_EQ(twin.flags & elf::kFlagMercury, 0u) << section.name;
    if (kind.role == elf::SectionRole::Text) {
      ++code;
      EXPECT_EQ(twin.info, section.info);
      EXPECT_LT(twin.data.size(), section.data.size()); // a capsule
    }
    if (section.type == elf::SectionType::Rela) {
      ++tables;
      EXPECT_EQ(twin.info, section.info);
      const elf::RelocationTable entries = plane->view.relocations(twin);
      for (u32 i = 0; i < entries.size(); ++i)
        EXPECT_GE(entries[i].type, 0x10001u);
    }
  }
  EXPECT_GT(code, 0u);
  EXPECT_GT(tables, 0u);
  for (u32 i = 0; i < whole.symbols.size(); ++i)
    if (!plane->symbols[i].name.empty()) {
      EXPECT_EQ(plane->symbols[i].name, whole.symbols[i].name);
    }
}

TEST_F(Plane, SymbolsOfBothHalvesMustAgree) {
  const InputObject whole = object();
  u32 function = 0;
  while (whole.symbols[function].type() != elf::SymbolType::Function ||
         !whole.symbols[function].in_section())
    ++function;
  store_le<u16>(mercury_symbol(function) + 6, 0);
  const InputObject changed = object();
  const Result<InputObject> plane = parse_mercury_plane(changed);
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(std::string(whole.symbols[function].name)),
            std::string::npos);
}

TEST_F(Plane, CodeNeedsACapsule) {
  const InputObject whole = object();
  for (const elf::Section &section : whole.view.sections())
    if (section.name.starts_with(".nv.capmerc.text.")) // another name: nobody's twin
      bytes_[whole.view.sections()[whole.view.header().name_section].offset + section.name_offset +
             section.name.size() - 1] ^= 1;
  const InputObject changed = object();
  const Result<InputObject> plane = parse_mercury_plane(changed);
  ASSERT_FALSE(plane);
  EXPECT_NE(plane.error().text().find(".nv.capmerc"), std::string::npos);
}

} // namespace
} // namespace culink
