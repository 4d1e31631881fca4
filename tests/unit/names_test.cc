// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/names.h"

#include <gtest/gtest.h>
#include <string>

#include "elf/records/nv_info.h"

namespace culink::elf {
namespace {

// Every row is found from its number and, since names are unique, from its name, with and without
// the prefix.
template <typename Number> void walk(const NameTable<Number> &table, const std::string &prefix) {
  ASSERT_FALSE(table.rows().empty());
  EXPECT_TRUE(sorted_by_number(table.rows()));
  for (const NamedNumber &row : table.rows()) {
    SCOPED_TRACE(std::string(row.name));
    const Number number = static_cast<Number>(row.number);
    EXPECT_EQ(table.name_of(number), row.name);
    const bool prefixed = row.name.starts_with(prefix);
    const std::string bare(prefixed ? row.name.substr(prefix.size()) : row.name);
    for (const std::string &spelling : {bare, prefix + bare})
      EXPECT_EQ(table.number_of(spelling), number) << spelling;
  }
  EXPECT_FALSE(table.name_of(static_cast<Number>(0xee)).has_value());
  EXPECT_FALSE(table.number_of("").has_value());
  EXPECT_FALSE(table.number_of(prefix).has_value());
  EXPECT_FALSE(table.number_of("NO_SUCH_NAME").has_value());
}

TEST(Names, EveryRowLeadsFromNumberToNameAndBack) {
  walk(kSectionTypeNames, "SHT_");
  walk(kSymbolTypeNames, "STT_");
  walk(kSymbolBindingNames, "STB_");
  walk(kSymbolVisibilityNames, "STV_");
  walk(kFileTypeNames, "ET_");
  walk(kSegmentTypeNames, "PT_");
  walk(kInfoAttributeNames, "EIATTR_");
  walk(kInfoFormatNames, "EIFMT_");
  walk(kCompatAttributeNames, "EICOMPAT_ATTR_");
}

TEST(Names, EveryInfoAttributeOf13HasAName) {
  for (u32 code = 0; code <= 0x60; ++code)
    EXPECT_TRUE(kInfoAttributeNames.name_of(code).has_value()) << code;
  EXPECT_FALSE(kInfoAttributeNames.name_of(0x61).has_value());
  EXPECT_EQ(kInfoAttributeNames.name_of(0x2f), "EIATTR_REGCOUNT");
  EXPECT_EQ(kInfoAttributeNames.name_of(0x17), "EIATTR_KPARAM_INFO");
}

TEST(Names, LaterAttributesHaveNames) {
  EXPECT_EQ(kInfoAttributeNames.name_of(0x66), "EIATTR_LANGUAGE");
  EXPECT_EQ(kInfoAttributeNames.name_of(0x6b), "EIATTR_NVSAL_SW_WAR");
  EXPECT_EQ(kInfoAttributeNames.name_of(0x6d), "EIATTR_PREEXIT_USED");
  EXPECT_EQ(kCompatAttributeNames.name_of(12), "EICOMPAT_ATTR_CUDA_INTERNAL_TARGET");
  EXPECT_EQ(kCompatAttributeNames.name_of(14), "EICOMPAT_ATTR_FINALIZER_VERSION");
}

TEST(Names, CompatAttributeTenHasNone) {
  EXPECT_EQ(kCompatAttributeNames.name_of(9), "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET");
  EXPECT_FALSE(kCompatAttributeNames.name_of(10).has_value());
}

// The enum in constants.h and the tables must not drift apart.
TEST(Names, ConstantsHaveTheirNames) {
  EXPECT_EQ(kSectionTypeNames.name_of(SectionType::CudaCompat), "CUDA_COMPAT_INFO");
  EXPECT_EQ(kSectionTypeNames.name_of(SectionType::CudaHost), "CUDA_EMBEDDED_HOST");
  EXPECT_EQ(kSectionTypeNames.name_of(SectionType::CudaConstantB17), "CUDA_CONSTANT_B17");
  EXPECT_EQ(kSectionTypeNames.name_of(SectionType::CudaCapmerc), "CUDA_CAPMERC");
  EXPECT_EQ(kSectionTypeNames.name_of(SectionType::MercuryRela), "CUDA_MERCURY_RELA");
  EXPECT_EQ(kSymbolTypeNames.name_of(SymbolType::CudaTexture), "CUDA_TEXTURE");
  EXPECT_EQ(kSymbolTypeNames.name_of(SymbolType::CudaSampler), "CUDA_SAMPLER");
  EXPECT_EQ(kSymbolTypeNames.name_of(SymbolType::CudaSurface), "CUDA_SURFACE");
  EXPECT_EQ(kFileTypeNames.name_of(FileType::Relocatable), "REL");
  EXPECT_EQ(kSegmentTypeNames.name_of(SegmentType::Phdr), "PHDR");
}

} // namespace
} // namespace culink::elf
