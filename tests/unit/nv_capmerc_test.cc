// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_capmerc.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

// Section 0x16, 7 instructions of which 0 and 6 have a record (a stub of ptxas for sm_100).
const Bytes kStub = {0x16, 0,    0, 0, 1, 0,    0,    0xc0, 7,    0,    0,
                     0,    0x3e, 0, 0, 0, 0x42, 0x0a, 2,    0x0e, 0x50, 1};

TEST(NvCapmerc, WalksTheRecords) {
  const Capsule capsule = decode_capsule(kStub);
  EXPECT_TRUE(capsule.violations.empty());
  EXPECT_EQ(capsule.text_section, 0x16u);
  EXPECT_EQ(capsule.instruction_count, 7u);
  EXPECT_FALSE(capsule.recovered(0));
  EXPECT_TRUE(capsule.recovered(1));
  ASSERT_EQ(capsule.records.size(), 2u);
  EXPECT_EQ(capsule.records[0].kind, CapsuleRecordKind::Short);
  EXPECT_EQ(capsule.records[0].sass_count(), 0u);
  EXPECT_EQ(capsule.records[1].kind, CapsuleRecordKind::End);
  EXPECT_EQ(capsule.records[1].instruction, 6u);
  EXPECT_EQ(capsule.records[1].sass_count(), 1u);
  EXPECT_TRUE(capsule.rest.empty());
  EXPECT_EQ(encode_capsule(capsule), kStub);
}

TEST(NvCapmerc, ReadsWholeInstructionsAndSassOnlyPrefixes) {
  Bytes bytes = {3, 0, 0, 0, 1, 0, 0, 0xc0, 3, 0, 0, 0, 0, 0, 0, 0, 0xd1, 1, 0x51, 2, 2};
  bytes.resize(bytes.size() + 31);
  bytes.push_back(1);
  bytes.resize(bytes.size() + 15);
  bytes.insert(bytes.end(), {0xd0, 5});
  const Capsule capsule = decode_capsule(bytes);
  EXPECT_TRUE(capsule.violations.empty());
  ASSERT_EQ(capsule.records.size(), 5u);
  EXPECT_EQ(capsule.records[0].sass_count(), 2u);
  EXPECT_EQ(capsule.records[1].sass_count(), 3u);
  EXPECT_EQ(capsule.records[1].instruction, 0u);
  EXPECT_EQ(capsule.records[2].bytes.size(), 32u);
  EXPECT_EQ(capsule.records[3].bytes.size(), 16u);
  EXPECT_EQ(capsule.records[4].sass_count(), 10u);
  EXPECT_EQ(encode_capsule(capsule), bytes);
}

// ptxas -O3 adds directives to kernels with "cutlass" in their names.
TEST(NvCapmerc, DirectivesHaveNoMachineInstruction) {
  Bytes bytes = {3, 0, 0, 0, 1, 0, 0, 0xc0, 5, 0, 0, 0, 0x2, 0, 0, 0};
  const auto add = [&bytes](u8 first, u64 size) {
    bytes.push_back(first);
    bytes.resize(bytes.size() + size - 1);
  };
  add(0x31, 16);                        // instruction 0; the next has no record
  add(0x31, 16);                        // 2
  bytes.insert(bytes.end(), {0x51, 1}); // a machine instruction without a counterpart
  add(0x02, 32);                        // 3
  bytes.insert(bytes.end(), {0xd0, 1}); // 4, and padding of two
  const Capsule capsule = decode_capsule(bytes);
  EXPECT_TRUE(capsule.violations.empty());
  ASSERT_EQ(capsule.records.size(), 5u);
  EXPECT_EQ(capsule.records[0].kind, CapsuleRecordKind::Directive);
  EXPECT_EQ(capsule.records[1].machine, 1u);
  EXPECT_EQ(capsule.records[3].machine, 2u);
  EXPECT_EQ(machine_instructions(capsule), (std::vector<u64>{0, 2, 3}));
  EXPECT_EQ(capsule.machine_count, 6u);
  EXPECT_EQ(encode_capsule(capsule), bytes);
}

TEST(NvCapmerc, KeepsWhatItCannotWalk) {
  for (u64 size = 0; size < kStub.size(); ++size) {
    const Bytes bytes(kStub.begin(), kStub.begin() + static_cast<std::ptrdiff_t>(size));
    const Capsule capsule = decode_capsule(bytes);
    EXPECT_FALSE(capsule.violations.empty()) << size;
    EXPECT_EQ(encode_capsule(capsule), bytes) << size;
  }
  Bytes unknown = kStub;
  unknown[16] = 0x99;
  EXPECT_EQ(decode_capsule(unknown).violations.at(0).message,
            "record byte 0x99 of instruction 0 is not known");
  EXPECT_EQ(encode_capsule(decode_capsule(unknown)), unknown);
  Bytes longer = kStub;
  longer.push_back(0);
  EXPECT_EQ(decode_capsule(longer).violations.at(0).message, "1 bytes after the last record");
  EXPECT_EQ(encode_capsule(decode_capsule(longer)), longer);
  Bytes huge = kStub;
  huge[11] = 0xff;
  EXPECT_EQ(decode_capsule(huge).violations.at(0).message,
            "the mask of 4278190087 instructions ends outside the section");
  EXPECT_EQ(encode_capsule(decode_capsule(huge)), huge);
}

} // namespace
} // namespace culink::elf
