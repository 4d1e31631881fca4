// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which symbols somebody means by a name.
#include "link/model/name_pattern.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(NamePattern, NamesOfTheSourceMeanTheirSymbol) {
  constexpr std::string_view kSmooth = "_Z6smoothPKfPfi";
  for (const char *wanted : {"_Z6smoothPKfPfi", "smooth", "smooth(float const*, float*, int)",
                             "smooth(const float *, float *, int)",
                             "smooth(float const*,float*,int)", "smo*", "*mooth*", "smooth(*)"})
    EXPECT_TRUE(is_meant(kSmooth, wanted)) << wanted;
  for (const char *wanted : {"", "smoo", "mooth", "smooth(float*, float*, int)", "smooth()", "t*"})
    EXPECT_FALSE(is_meant(kSmooth, wanted)) << wanted;
}

TEST(NamePattern, NamespacesMayBeLeftOut) {
  constexpr std::string_view kScale = "_ZN4math5scaleEPKfi";
  for (const char *wanted : {"scale", "math::scale", "math::scale(const float *, int)", "math::*"})
    EXPECT_TRUE(is_meant(kScale, wanted)) << wanted;
  EXPECT_FALSE(is_meant(kScale, "math"));
  EXPECT_FALSE(is_meant(kScale, "other::scale"));
}

TEST(NamePattern, AStarAtTheEndIsNoPointer) {
  constexpr std::string_view kFloats = "_Z4gemmI6float4EvPT_"; // void gemm<float4>(float4*)
  EXPECT_TRUE(is_meant(kFloats, "void gemm<float*"));
  EXPECT_TRUE(is_meant(kFloats, "void gemm<float4>(float4*)"));
  EXPECT_FALSE(is_meant(kFloats, "void gemm<float>(float*)"));
}

TEST(NamePattern, ConstMovesBehindItsTypeInTemplatesToo) {
  // void f<const int *>(const unsigned int *, const char &)
  EXPECT_TRUE(
      is_meant("_Z1fIPKiEvPKjRKc", "void f<const int *>(const unsigned int *, const char &)"));
}

TEST(NamePattern, KernelsAreSelectedByPartsOfTheirNames) {
  EXPECT_TRUE(selects_kernel("_Z6smoothPKfPfi", {"oth"}, false));
  EXPECT_FALSE(selects_kernel("_Z6smoothPKfPfi", {"smooth(*"}, false));
  EXPECT_TRUE(selects_kernel("_Z6smoothPKfPfi", {"other", "smooth(*"}, true));
  EXPECT_TRUE(selects_kernel("_Z6smoothPKfPfi", {""}, true));
  EXPECT_FALSE(selects_kernel("_Z6smoothPKfPfi", {}, true));
}

} // namespace
} // namespace culink
