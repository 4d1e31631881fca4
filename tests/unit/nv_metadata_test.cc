// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_metadata.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

TEST(NvMetadata, CarriesWordsAndRest) {
  const std::vector<u8> bytes = {1, 0, 0, 0, 2, 1, 0, 0, 9};
  const MetadataSection section = decode_metadata(bytes);
  EXPECT_EQ(section.records, (std::vector<u32>{1, 0x102}));
  EXPECT_EQ(section.violations.at(0).offset, 8u);
  EXPECT_EQ(encode_rows(section), bytes);
  EXPECT_TRUE(decode_metadata({}).violations.empty());
}

} // namespace
} // namespace culink::elf
