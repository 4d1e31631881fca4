// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/names.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

struct Names {
  std::string_view sass, link, twin;
};
constexpr Names kNames[] = {
    {".text.f", ".text.f", ".nv.capmerc.text.f"},
    {".rela.text.f", ".rela.text.f", ".nv.merc.rela.text.f"},
    {".nv.info", ".nv.info", ".nv.merc.nv.info"},
    {".nv.constant3", ".nv.constant.user", ".nv.merc.nv.constant.user"},
    {".rel.nv.constant3", ".rel.nv.constant.user", ".nv.merc.rel.nv.constant.user"},
    {".nv.constant2.f", ".nv.constant.optimizer.f", ".nv.merc.nv.constant.optimizer.f"},
    {".rela.nv.constant2.f", ".rela.nv.constant.optimizer.f",
     ".nv.merc.rela.nv.constant.optimizer.f"},
    {".nv.constant0.k", ".nv.constant.entry_image_header_indices.k",
     ".nv.merc.nv.constant.entry_image_header_indices.k"},
    {".nv.resolvedrela.text.f", ".nv.resolvedrela.text.f", ".nv.merc.nv.resolvedrela.text.f"},
    {".nv.constant30", ".nv.constant30", ".nv.merc.nv.constant30"},
};

TEST(MercuryNames, BanksAreCalledByTheirUse) {
  for (const Names &names : kNames) {
    EXPECT_EQ(mercury_link_name(names.sass), names.link);
    EXPECT_EQ(mercury_counterpart_name(names.sass), names.twin);
  }
}

TEST(MercuryNames, TypesOfTablesLeadBack) {
  using T = SectionType;
  for (const T type :
       {T::Rela, T::Symtab, T::CudaInfo, T::CudaResolvedRela, T::CudaCallgraph, T::CudaPrototype}) {
    EXPECT_NE(mercury_type(type), type);
    EXPECT_EQ(mirrored_type(mercury_type(type)), type);
    EXPECT_EQ(mirrored_type(type), type);
  }
  EXPECT_EQ(mirrored_type(T::MercuryConstantOpt2), T::MercuryConstantOpt);
  for (const T type : {T::Progbits, T::CudaCompat, T::MercuryConstantUser, T::CudaCapmerc}) {
    EXPECT_EQ(mercury_type(type), type);
    EXPECT_EQ(mirrored_type(type), type);
  }
}

} // namespace
} // namespace culink::elf
