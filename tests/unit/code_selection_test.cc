// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/device_file.h"

#include <gtest/gtest.h>

#include "examples.h"

namespace culink {
namespace {

TEST(CodeSelection, kernels_have_several_names) {
  for (const char *pattern : {"_Z6smoothPKfPfi", "smooth(float const*, float*, int)", "smooth",
                              "smo*", "*float const**", "smooth(const float *, float *, int)"}) {
    CodeSelection selection;
    selection.kernels = {"nonesuch", pattern};
    EXPECT_TRUE(selection.takes_kernel("_Z6smoothPKfPfi")) << pattern;
    EXPECT_FALSE(selection.takes_kernel("_Z5totali")) << pattern;
  }
  EXPECT_TRUE(CodeSelection{}.takes_kernel("x"));
  CodeSelection unqualified;
  unqualified.kernels = {"scale"};
  EXPECT_TRUE(unqualified.takes_kernel("_ZN4math5scaleEPKfi"));
}

TEST(CodeSelection, an_image_is_taken_for_its_kernels_not_its_functions) {
  const std::vector<u8> bytes = test::read_example("vector_math/sm_90/linked.cubin");
  const Result<elf::ElfView> view = elf::ElfView::open(bytes);
  ASSERT_TRUE(view.ok());
  CodeSelection selection;
  EXPECT_TRUE(selection.takes_image(*view));
  selection.kernels = {"total"};
  EXPECT_TRUE(selection.takes_image(*view));
  selection.kernels = {"block_sum"};
  EXPECT_FALSE(selection.takes_image(*view)) << "a device function";
}

TEST(CodeSelection, targets) {
  CodeSelection selection;
  EXPECT_TRUE(selection.takes_target("sm_90"));
  selection.targets = {"sm_8*", "compute_90"};
  EXPECT_TRUE(selection.takes_target("sm_86"));
  EXPECT_TRUE(selection.takes_target("compute_90"));
  EXPECT_FALSE(selection.takes_target("sm_90"));
}

} // namespace
} // namespace culink
