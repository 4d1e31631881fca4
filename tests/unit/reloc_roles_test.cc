// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/reloc_roles.h"

#include <gtest/gtest.h>

namespace culink::arch {
namespace {

TEST(RelocRoles, ImageSlotsHoldHeaderIndices) {
  EXPECT_EQ(image_slot_reloc(ImageKind::Texture, Plane::Sass).name, "R_CUDA_TEX_HEADER_INDEX");
  EXPECT_EQ(image_slot_reloc(ImageKind::Sampler, Plane::Sass).name, "R_CUDA_SAMP_HEADER_INDEX");
  EXPECT_EQ(image_slot_reloc(ImageKind::Surface, Plane::Sass).name, "R_CUDA_SURF_HEADER_INDEX");
  for (const ImageKind kind : {ImageKind::Texture, ImageKind::Sampler, ImageKind::Surface}) {
    const RelocInfo &mercury = image_slot_reloc(kind, Plane::Mercury);
    EXPECT_EQ(mercury.value, ValueKind::HeaderIndex);
    EXPECT_EQ(find_reloc(mercury.sass.data)->value, ValueKind::HeaderIndex);
  }
}

TEST(RelocRoles, ASamplerSlotOfMercuryCodeHasItsOwnNumberOnTheSassPlane) {
  const u32 number = image_slot_reloc(ImageKind::Sampler, Plane::Mercury).sass.data;
  EXPECT_EQ(find_reloc(number)->name, "R_CUDA_SAMP_HEADER_INDEX_0");
}

TEST(RelocRoles, OperandsOfIndexedImageLoadsAreThoseOfOneMercuryRelocation) {
  const RelocInfo &mercury = *find_reloc("R_MERCURY_ABS16");
  EXPECT_EQ(reloc_for(RelocRole::ImageIndex).number, mercury.sass.code);
  EXPECT_EQ(reloc_for(RelocRole::ImageBase).number, mercury.sass.operand);
  EXPECT_EQ(reloc_for(RelocRole::CodeAddress).name, "R_CUDA_64");
  EXPECT_EQ(reloc_for(RelocRole::NewestField).name, "R_CUDA_CONST_FIELD22_37");
}

TEST(RelocRoles, FieldsOfUpTo16BitsAreShortInCapsules) {
  EXPECT_TRUE(is_short_in_capsule(reloc_for(RelocRole::ImageIndex)));
  EXPECT_TRUE(is_short_in_capsule(reloc_for(RelocRole::ImageBase)));
  EXPECT_FALSE(is_short_in_capsule(reloc_for(RelocRole::NewestField)));
}

} // namespace
} // namespace culink::arch
