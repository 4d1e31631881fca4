// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/names.h"

#include <gtest/gtest.h>
#include <string>

namespace culink::elf {
namespace {

// Every row is found from its number and, since names are unique, from its name, with and without
// the prefix.
template <typename NameOf, typename FromName>
void walk(std::span<const NamedNumber> table, const std::string &prefix, NameOf name_of,
          FromName from_name) {
  ASSERT_FALSE(table.empty());
  for (const NamedNumber &row : table) {
    SCOPED_TRACE(std::string(row.name));
    ASSERT_TRUE(name_of(row.number).has_value());
    EXPECT_EQ(*name_of(row.number), row.name);
    const bool prefixed = row.name.starts_with(prefix);
    const std::string bare(prefixed ? row.name.substr(prefix.size()) : row.name);
    for (const std::string &spelling : {bare, prefix + bare}) {
      ASSERT_TRUE(from_name(spelling).has_value()) << spelling;
      EXPECT_EQ(static_cast<u32>(*from_name(spelling)), row.number) << spelling;
    }
  }
  EXPECT_FALSE(name_of(0xee).has_value());
  EXPECT_FALSE(from_name("").has_value());
  EXPECT_FALSE(from_name(prefix).has_value());
  EXPECT_FALSE(from_name("NO_SUCH_NAME").has_value());
}

TEST(Names, EveryRowLeadsFromNumberToNameAndBack) {
  walk(
      section_type_names(), "SHT_",
      [](u32 n) { return name_of_section_type(static_cast<SectionType>(n)); },
      section_type_from_name);
  walk(
      symbol_type_names(), "STT_",
      [](u32 n) { return name_of_symbol_type(static_cast<SymbolType>(n)); }, symbol_type_from_name);
  walk(
      symbol_binding_names(), "STB_",
      [](u32 n) { return name_of_symbol_binding(static_cast<SymbolBinding>(n)); },
      symbol_binding_from_name);
  walk(
      symbol_visibility_names(), "STV_",
      [](u32 n) { return name_of_symbol_visibility(static_cast<u8>(n)); },
      symbol_visibility_from_name);
  walk(
      file_type_names(), "ET_", [](u32 n) { return name_of_file_type(static_cast<FileType>(n)); },
      file_type_from_name);
  walk(
      segment_type_names(), "PT_",
      [](u32 n) { return name_of_segment_type(static_cast<SegmentType>(n)); },
      segment_type_from_name);
  walk(info_attribute_names(), "EIATTR_", name_of_info_attribute, info_attribute_from_name);
  walk(info_format_names(), "EIFMT_", name_of_info_format, info_format_from_name);
  walk(compat_attribute_names(), "EICOMPAT_ATTR_", name_of_compat_attribute,
       compat_attribute_from_name);
}

TEST(Names, EveryInfoAttributeOf13HasAName) {
  for (u32 code = 0; code <= 0x60; ++code)
    EXPECT_TRUE(name_of_info_attribute(code).has_value()) << code;
  EXPECT_FALSE(name_of_info_attribute(0x61).has_value());
  EXPECT_EQ(name_of_info_attribute(0x2f), "EIATTR_REGCOUNT");
  EXPECT_EQ(name_of_info_attribute(0x17), "EIATTR_KPARAM_INFO");
}

TEST(Names, LaterAttributesHaveNames) {
  EXPECT_EQ(name_of_info_attribute(0x66), "EIATTR_LANGUAGE");
  EXPECT_EQ(name_of_info_attribute(0x6b), "EIATTR_NVSAL_SW_WAR");
  EXPECT_EQ(name_of_info_attribute(0x6d), "EIATTR_PREEXIT_USED");
  EXPECT_EQ(name_of_compat_attribute(12), "EICOMPAT_ATTR_CUDA_INTERNAL_TARGET");
  EXPECT_EQ(name_of_compat_attribute(14), "EICOMPAT_ATTR_FINALIZER_VERSION");
}

TEST(Names, CompatAttributeTenHasNone) {
  EXPECT_EQ(name_of_compat_attribute(9), "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET");
  EXPECT_FALSE(name_of_compat_attribute(10).has_value());
}

// The enum in constants.h and the tables must not drift apart.
TEST(Names, ConstantsHaveTheirNames) {
  EXPECT_EQ(name_of_section_type(SectionType::CudaCompat), "CUDA_COMPAT_INFO");
  EXPECT_EQ(name_of_section_type(SectionType::CudaHost), "CUDA_EMBEDDED_HOST");
  EXPECT_EQ(name_of_section_type(SectionType::CudaConstantB17), "CUDA_CONSTANT_B17");
  EXPECT_EQ(name_of_section_type(SectionType::CudaCapmerc), "CUDA_CAPMERC");
  EXPECT_EQ(name_of_section_type(SectionType::MercuryRela), "CUDA_MERCURY_RELA");
  EXPECT_EQ(name_of_symbol_type(SymbolType::CudaTexture), "CUDA_TEXTURE");
  EXPECT_EQ(name_of_symbol_type(SymbolType::CudaSampler), "CUDA_SAMPLER");
  EXPECT_EQ(name_of_symbol_type(SymbolType::CudaSurface), "CUDA_SURFACE");
  EXPECT_EQ(name_of_file_type(FileType::Relocatable), "REL");
  EXPECT_EQ(name_of_segment_type(SegmentType::Phdr), "PHDR");
}

TEST(Names, CuobjdumpSpellingOfMercuryTwinsIsTheirPlainTypes) {
  EXPECT_EQ(cuobjdump_name_of_section_type(SectionType::MercuryRela), "RELA");
  EXPECT_EQ(cuobjdump_name_of_section_type(SectionType::MercuryInfo), "CUDA_INFO");
  EXPECT_EQ(cuobjdump_name_of_section_type(SectionType::MercuryConstantOpt2),
            "CUDA_MERCURY_CONSTANT_OPT");
  EXPECT_EQ(cuobjdump_name_of_section_type(SectionType::MercurySymtab), "SYMTAB");
  EXPECT_EQ(cuobjdump_name_of_section_type(SectionType::CudaInfo), "CUDA_INFO");
  EXPECT_FALSE(cuobjdump_name_of_section_type(SectionType::CudaConstantB17).has_value());
}

} // namespace
} // namespace culink::elf
