// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_compat.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

// As ptxas writes it for sm_100.
const Bytes kCompat = {2, 9, 0, 0, 2, 2, 1, 0,  2, 5, 5, 0, 3, 7, 1, 1, 2, 3,
                       0, 0, 2, 6, 1, 0, 4, 11, 8, 0, 9, 0, 0, 0, 0, 0, 0, 0};

TEST(NvCompat, ReadsWhatPtxasWrites) {
  const CompatSection section = decode_compat(kCompat);
  EXPECT_TRUE(section.violations.empty());
  ASSERT_EQ(section.records.size(), 7u);
  EXPECT_EQ(section.records[3].attribute, CompatAttribute::MercuryIsaMajorMinorVersion);
  EXPECT_EQ(compat_number(section.records[3]), 0x101u);
  EXPECT_EQ(compat_number(section.records[6]), 9u);
  for (const CompatRecord &record : section.records) {
    EXPECT_FALSE(check_compat_record(record));
    EXPECT_TRUE(compat_row(record.attribute));
  }
  EXPECT_EQ(encode_compat(section), kCompat);
}

TEST(NvCompat, EveryRowNoticesAnotherFormat) {
  for (const CompatRow &row : compat_rows()) {
    CompatRecord record;
    record.attribute = row.attribute;
    record.format = RecordFormat::NoValue;
    EXPECT_TRUE(check_compat_record(record)) << static_cast<int>(row.attribute);
  }
}

TEST(NvCompat, CarriesUnknownAndLongRecords) {
  const Bytes bytes = {1, 99, 0, 0, 4, 98, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const CompatSection section = decode_compat(bytes);
  ASSERT_EQ(section.records.size(), 2u);
  EXPECT_FALSE(compat_number(section.records[1]));
  EXPECT_FALSE(check_compat_record(section.records[1]));
  EXPECT_EQ(encode_compat(section), bytes);
}

} // namespace
} // namespace culink::elf
