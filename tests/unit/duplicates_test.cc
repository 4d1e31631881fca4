// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/size/duplicates.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

FunctionCode copy(std::string name, std::string target, u32 image, u64 stored,
                  std::string_view code, bool kernel = true) {
  return {std::move(name), kernel, std::move(target),        image, image, !kernel,
          code.size(),     stored, digest_of(as_bytes(code))};
}

TEST(FindDuplicates, equal_code_and_kernels_of_one_name) {
  const Duplicates found = find_duplicates({
      copy("k", "sm_80", 1, 10, "old"),
      copy("k", "sm_90", 2, 30, "newer"),
      copy("k", "sm_90", 3, 20, "newer"),
      copy("other", "sm_90", 3, 25, "newer"),
      copy("alone", "sm_90", 3, 99, "alone"),
      copy("f", "sm_80", 1, 5, "help", false),
      copy("f", "sm_80", 2, 5, "help", false),
  });
  ASSERT_EQ(found.equal_code.size(), 2u);
  const Duplicate &equal = found.equal_code[0];
  EXPECT_EQ(equal.name, "k");
  EXPECT_EQ(equal.names, 2u);
  EXPECT_EQ(equal.instances, 3u);
  EXPECT_EQ(equal.targets, 1u);
  EXPECT_EQ(equal.fatbins, 2u);
  EXPECT_EQ(equal.size, 5u);
  EXPECT_EQ(equal.cost, 45u) << "the largest would stay";
  EXPECT_EQ(found.equal_code[1].name, "f");
  EXPECT_EQ(found.equal_code_cost, 50u);
  ASSERT_EQ(found.same_kernels.size(), 1u) << "functions are not kernels";
  EXPECT_EQ(found.same_kernels[0].name, "k");
  EXPECT_EQ(found.same_kernels[0].instances, 3u);
  EXPECT_EQ(found.same_kernels[0].targets, 2u);
  EXPECT_EQ(found.same_kernels_cost, 30u);
  EXPECT_EQ(found.in_images, 20u) << "of sm_90";
  EXPECT_EQ(found.for_targets, 10u) << "beside the largest of sm_90";
  EXPECT_EQ(found.equal_functions, 0u) << "they are in two images";
}

} // namespace
} // namespace culink
