// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are found in texts about sections and symbols, and nothing else changes.
#include "inspect/diff/summary.h"

#include <gtest/gtest.h>

namespace culink::text {
namespace {

TEST(NamesInText, are_shown_as_in_the_source) {
  EXPECT_EQ(demangle_within("'.text._Z1kPf': size 0x10 vs 0x20"),
            "'.text.k(float*)': size 0x10 vs 0x20");
  EXPECT_EQ(demangle_within("part -1: '_Z1kPf' -> '$_Z1kPf$_Z4statPKf'"),
            "part -1: 'k(float*)' -> 'stat(float const*) in k(float*)'");
  EXPECT_EQ(demangle_within("'.nv.shared.$___ZZ1kPfE4tile__321'"),
            "'.nv.shared.tile in k(float*)'");
}

TEST(NamesInText, leave_the_rest_alone) {
  for (const std::string_view plain :
       {"", ".", "._", "R_CUDA_ABS32_32 against 'g', addend 0x0", "a '.text.k' (2) vs nothing",
        "Cuda compilation tools, release 13.0, V13.0.88"})
    EXPECT_EQ(demangle_within(plain), plain);
}

} // namespace
} // namespace culink::text
