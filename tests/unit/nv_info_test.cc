// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_info.h"

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

// As ptxas writes them for a kernel, one record per line.
const Bytes kKernelInfo = {
    0x04, 0x37, 0x04, 0x00, 0x82, 0x00, 0x00, 0x00,                         // CUDA_API_VERSION
    0x04, 0x17, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00,                         // KPARAM_INFO
    0x01, 0x00, 0x08, 0x00, 0x06, 0xf4, 0x21, 0x00,                         //
    0x03, 0x1b, 0xff, 0x00,                                                 // MAXREG_COUNT
    0x04, 0x0f, 0x08, 0x00, 0x26, 0x00, 0x00, 0x00, 0x27, 0x00, 0x00, 0x00, // EXTERNS
    0x02, 0x4c, 0x01, 0x00,                                                 // NUM_BARRIERS
    0x01, 0x04, 0x00, 0x00,                                                 // CTAIDZ_USED
};

TEST(NvInfo, ReadsTheRecordsOfAKernel) {
  const InfoSection info = decode_info(kKernelInfo);
  EXPECT_TRUE(info.violations.empty());
  EXPECT_TRUE(info.rest.empty());
  ASSERT_EQ(info.records.size(), 6u);
  EXPECT_EQ(decode_value(info.records[0]), InfoValue(InfoNumber{130}));
  InfoKernelParameter parameter;
  parameter.ordinal = 1;
  parameter.offset = 8;
  parameter.pointee_alignment = 6;
  parameter.space = 4;
  parameter.cbank = 0x1f;
  parameter.size = 8;
  EXPECT_EQ(decode_value(info.records[1]), InfoValue(parameter));
  EXPECT_EQ(info.records[2].attribute, InfoAttribute::MaxregCount);
  EXPECT_EQ(info.records[2].value, 0xff);
  EXPECT_EQ(decode_value(info.records[3]), InfoValue(InfoWords{{0x26, 0x27}}));
  EXPECT_EQ(symbol_word_count(info.records[3]), 2u);
  EXPECT_EQ(decode_value(info.records[4]), InfoValue(InfoNumber{1}));
  EXPECT_EQ(info.records[5].offset, kKernelInfo.size() - 4);
  for (const InfoRecord &record : info.records)
    EXPECT_FALSE(check_record(record)) << check_record(record)->message;
}

TEST(NvInfo, EncodesToTheSameBytes) {
  EXPECT_EQ(encode_info(decode_info(kKernelInfo)), kKernelInfo);
}

TEST(NvInfo, CarriesUnknownAttributes) {
  const Bytes bytes = {0x04, 0xee, 0x03, 0x00, 1, 2, 3, 0x03, 0xef, 0x34, 0x12};
  const InfoSection info = decode_info(bytes);
  ASSERT_EQ(info.records.size(), 2u);
  EXPECT_EQ(decode_value(info.records[0]), InfoValue(InfoBytes{{1, 2, 3}}));
  EXPECT_EQ(decode_value(info.records[1]), InfoValue(InfoNumber{0x1234}));
  EXPECT_EQ(encode_info(info), bytes);
}

TEST(NvInfo, KeepsWhatFollowsALostFraming) {
  const Bytes unknown_format = {0x01, 0x04, 0, 0, 0x07, 0x04, 0, 0, 9};
  const InfoSection info = decode_info(unknown_format);
  ASSERT_EQ(info.violations.size(), 1u);
  EXPECT_EQ(info.violations[0].offset, 4u);
  EXPECT_EQ(info.violations[0].message, "record format 7 is not known");
  EXPECT_EQ(info.rest.size(), 5u);
  EXPECT_EQ(encode_info(info), unknown_format);

  const Bytes long_payload = {0x04, 0x11, 0x09, 0x00, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(decode_info(long_payload).violations.at(0).message,
            "a payload of 9 bytes ends outside the section, 8 are left");
  EXPECT_EQ(encode_info(decode_info(long_payload)), long_payload);

  const Bytes short_header = {0x01, 0x04, 0};
  EXPECT_EQ(decode_info(short_header).violations.at(0).message,
            "3 trailing bytes, a record has at least 4");
}

TEST(NvInfo, ReadsNestedBranchTargets) {
  const Bytes payload = {0xb0, 0, 0, 0, 0,    0, 0, 0, 2, 0, 0, 0, 0x20, 1, 0, 0,
                         0x90, 1, 0, 0, 0x30, 2, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0};
  InfoRecord record;
  record.format = RecordFormat::Sized;
  record.attribute = InfoAttribute::IndirectBranchTargets;
  record.payload = payload;
  const InfoValue expected = InfoBranchTargets{{{0xb0, 0, {0x120, 0x190}}, {0x230, 0, {}}}};
  EXPECT_EQ(decode_value(record), expected);
  EXPECT_EQ(encode_payload(expected), payload);
  // A count beyond the payload: bytes, and a complaint.
  Bytes broken = payload;
  broken[8] = 9;
  record.payload = broken;
  EXPECT_EQ(decode_value(record), InfoValue(InfoBytes{broken}));
  EXPECT_TRUE(check_record(record));
}

TEST(NvInfo, ReadsTheWideKernelParameter) {
  const Bytes bytes = {0x04, 0x45, 0x0c, 0x00, 0, 0, 0, 0, 7, 0, 0x58, 0x23, 8, 0, 0x1e, 0x14};
  const InfoSection info = decode_info(bytes);
  ASSERT_EQ(info.records.size(), 1u);
  const InfoKernelParameter2 expected{0, 7, 0x2358, 8, 30, 4, 1};
  EXPECT_EQ(decode_value(info.records[0]), InfoValue(expected));
  EXPECT_TRUE(std::ranges::equal(encode_payload(expected), info.records[0].payload));
}

// Every row: a payload of its shape decodes to a typed value and encodes to the same bytes.
TEST(NvInfo, EveryRowRoundTripsAPayloadOfItsShape) {
  const Bytes payload = {0x10, 0x20, 0x30, 0x40, 0xa5, 0x5a, 0xff, 0x7f, 0, 0, 0, 0, 9, 9, 9, 9};
  for (const InfoRow &row : info_rows()) {
    SCOPED_TRACE(static_cast<int>(row.attribute));
    if (row.evidence == InfoEvidence::None) { // only a name: like an attribute without a row
      EXPECT_EQ(info_row(row.attribute), nullptr);
      EXPECT_EQ(row.shape, InfoShape::Opaque);
      EXPECT_EQ(row.symbols, InfoSymbols::None);
      continue;
    }
    EXPECT_EQ(info_row(row.attribute), &row);
    InfoRecord record;
    record.format = row.format;
    record.attribute = row.attribute;
    if (!record.sized()) {
      record.value = 0x0102;
      EXPECT_EQ(effective_shape(record), row.shape);
      EXPECT_EQ(row.symbols, InfoSymbols::None);
      continue;
    }
    bool fitted = row.shape == InfoShape::Annotations; // a test of its own, below
    for (const u64 size : {4u, 8u, 12u, 16u}) {
      record.payload = ByteSpan(payload).first(size);
      EXPECT_TRUE(std::ranges::equal(encode_payload(decode_value(record)), record.payload));
      fitted |= effective_shape(record) == row.shape && !check_record(record);
      EXPECT_EQ(symbol_word_count(record), row.symbols == InfoSymbols::None    ? 0
                                           : row.symbols == InfoSymbols::First ? 1
                                                                               : size / 4);
    }
    EXPECT_TRUE(fitted);
  }
}

TEST(NvInfo, ReadsAnnotationsWithoutText) {
  const Bytes payload = {1, 0, 0, 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 0x90, 0, 0, 0};
  InfoRecord record;
  record.format = RecordFormat::Sized;
  record.attribute = InfoAttribute::Annotations;
  record.payload = payload;
  const InfoValue expected =
      InfoAnnotations{{{kAnnotationMark, 0x40, ""}, {kAnnotationMark, 0x90, ""}}};
  EXPECT_EQ(decode_value(record), expected);
  EXPECT_EQ(encode_payload(expected), payload);
  EXPECT_FALSE(check_record(record));
}

TEST(NvInfo, ReadsAnnotations) {
  const Bytes payload = {2, 0, 0, 0, 0x30, 1, 0, 0, 3, 0, 0,   0,   'h', 'i',
                         0, 0, 3, 0, 0,    0, 4, 0, 0, 0, 'a', 'b', 'c', 0};
  InfoRecord record;
  record.format = RecordFormat::Sized;
  record.attribute = InfoAttribute::Annotations;
  record.payload = payload;
  const InfoValue expected =
      InfoAnnotations{{{kAnnotationOfCode, 0x130, "hi"}, {kAnnotationOfFunction, 0, "abc"}}};
  EXPECT_EQ(decode_value(record), expected);
  EXPECT_EQ(encode_payload(expected), payload);
  EXPECT_FALSE(check_record(record));
  // An unknown kind, padding that is not zero, a text without NUL, a size of 0: bytes.
  for (const auto &[at, value] : {std::pair{0, 9}, {15, 1}, {14, 1}, {8, 0}, {8, 99}}) {
    Bytes broken = payload;
    broken[static_cast<size_t>(at)] = static_cast<u8>(value);
    record.payload = broken;
    EXPECT_EQ(decode_value(record), InfoValue(InfoBytes{broken})) << at;
    EXPECT_EQ(encode_payload(decode_value(record)), broken);
  }
}

TEST(NvInfo, ReadsTablesOfOffsets) {
  const Bytes bytes = {0x04, 0x39, 0x10, 0x00, 0xc0, 0,    0,    0,    0xff, 0, 0, 0, 0, 0, 0, 0,
                       0,    1,    6,    0,    0x04, 0x2e, 0x08, 0x00, 0xf0, 0, 0, 0, 8, 0, 0, 0};
  const InfoSection info = decode_info(bytes);
  ASSERT_EQ(info.records.size(), 2u);
  EXPECT_EQ(decode_value(info.records[0]), InfoValue(InfoTable{4, {0xc0, 0xff, 0, 0x60100}}));
  EXPECT_EQ(decode_value(info.records[1]), InfoValue(InfoTable{2, {0xf0, 8}}));
}

TEST(NvInfo, ReportsRecordsThatDoNotFitTheirRow) {
  const Bytes bytes = {0x04, 0x2f, 0x04, 0x00, 1,   0, 0, 0, // REGCOUNT without its count
                       0x03, 0x4c, 0x01, 0x00,               // NUM_BARRIERS as a half
                       0x04, 0x33, 0x01, 0x00, 0xff};        // odd size
  const InfoSection info = decode_info(bytes);
  ASSERT_EQ(info.records.size(), 3u);
  EXPECT_EQ(check_record(info.records[0])->message,
            "a payload of 4 bytes does not fit attribute 0x2f");
  EXPECT_EQ(check_record(info.records[1])->message, "attribute 0x4c has format 3, usually 2");
  EXPECT_EQ(check_record(info.records[2])->message, "payload size 1 is not a multiple of 4");
  EXPECT_EQ(check_record(info.records[2])->offset, 12u);
}

} // namespace
} // namespace culink::elf
