// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/reader/image_parts.h"

#include <gtest/gtest.h>

#include "examples.h"

namespace culink::inspect {
namespace {

u64 sum_of(const std::vector<ImagePart> &parts) {
  u64 out = 0;
  for (const ImagePart &part : parts)
    out += part.size;
  return out;
}

TEST(Divide, every_byte_has_one_owner) {
  const std::vector<ImagePart> parts = divide(
      100, {{20, 40, "text", 1}, {10, 30, "info", 0}, {30, 35, "rela", 0}, {90, 120, "text", 1}});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].kind, "info");
  EXPECT_EQ(parts[0].size, 20u) << "the first range keeps what two have";
  EXPECT_EQ(parts[1].kind, "text");
  EXPECT_EQ(parts[1].size, 10u + 10u)
      << "parts of a kind and function are one; the end is the file's";
  EXPECT_EQ(parts[2].kind, "padding");
  EXPECT_EQ(parts[2].size, 10u + 50u);
  EXPECT_EQ(sum_of(divide(7, {})), 7u);
  EXPECT_TRUE(divide(0, {{5, 9, "text", 0}}).empty());
}

TEST(MeasureImage, parts_add_up_to_the_file) {
  for (const char *name : {"vector_math/sm_90/linked.cubin", "vector_math/sm_90/main.cubin",
                           "vector_math/sm_80/filter.cubin", "function_pointers/sm_90/linked.cubin",
                           "vector_math/sm_100/linked.cubin", "vector_math/sm_100/main.cubin"}) {
    const std::vector<u8> bytes = test::read_example(name);
    const Result<elf::ElfView> view = elf::ElfView::open(bytes);
    ASSERT_TRUE(view.ok()) << name;
    const ImageParts image = measure_image(*view);
    EXPECT_EQ(sum_of(image.parts), bytes.size()) << name;
    u64 owned = 0;
    for (const ImagePart &part : image.parts)
      owned += part.function != kNoFunction ? part.size : 0;
    u64 own = 0;
    for (const SizedFunction &function : image.functions)
      own += function.own;
    EXPECT_EQ(own, owned) << name;
  }
}

TEST(MeasureImage, kernels_reach_what_they_call) {
  const std::vector<u8> bytes = test::read_example("vector_math/sm_90/linked.cubin");
  const ImageParts image = measure_image(*elf::ElfView::open(bytes));
  std::map<std::string_view, SizedFunction> by_name;
  for (const SizedFunction &function : image.functions)
    by_name[function.name] = function;
  const SizedFunction &smooth = by_name["_Z6smoothPKfPfi"], &filtered = by_name["_Z8filteredPKf"];
  EXPECT_TRUE(smooth.kernel);
  EXPECT_FALSE(filtered.kernel);
  EXPECT_EQ(smooth.reached, smooth.own + filtered.own);
  EXPECT_EQ(filtered.reached, filtered.own) << "it calls nothing";
  EXPECT_GT(smooth.own, smooth.code.size()) << "records and constants are its own, too";
}

TEST(MeasureImage, damaged_files_are_divided_too) {
  std::vector<u8> bytes = test::read_example("vector_math/sm_90/linked.cubin");
  bytes.resize(5000);
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(sum_of(measure_image(*view).parts), 5000u);
}

} // namespace
} // namespace culink::inspect
