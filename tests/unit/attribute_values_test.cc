// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "culink/cubin_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "culink/elf_writer.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"

namespace culink {
namespace {

using elf::InfoAttribute;
using elf::InfoRecord;
using elf::RecordFormat;
using Value = CubinReader::Value;

// The values of the only record of a file that has the symbols 1, a section symbol without a name
// of its own, and 2, the function "f".
std::vector<Value> read_values(elf::SectionType type, const std::vector<u8> &record) {
  elf::ElfWriter elf({});
  const elf::SectionId text = elf.add_section({.name = ".text.f"});
  elf.add_symbol({.name = "",
                  .binding = elf::SymbolBinding::Local,
                  .type = elf::SymbolType::Section,
                  .section = text});
  elf.add_symbol({.name = "f", .type = elf::SymbolType::Function, .section = text});
  elf.append_copy(elf.add_section({.name = "records", .type = type, .link = elf.symtab()}), record);
  const std::vector<u8> file = elf.finish().value();
  const Result<CubinReader> reader = CubinReader::open(file);
  EXPECT_TRUE(reader) << reader.error().text();
  const std::vector<CubinReader::Attribute> attributes = reader->attributes();
  EXPECT_EQ(attributes.size(), 1u);
  return attributes.empty() ? std::vector<Value>() : attributes[0].values;
}

// "key=3 key=f key@0x10": numbers, names of symbols, offsets in code; text in quotes.
std::string shown(const std::vector<Value> &values) {
  std::string out;
  for (const Value &value : values) {
    out += (out.empty() ? "" : " ") + std::string(value.key);
    switch (value.kind) {
    case Value::Kind::Number:
      out += "=" + std::to_string(value.number);
      break;
    case Value::Kind::Symbol:
      out += "=" + (value.text.empty() ? "#" + std::to_string(value.number) : value.text);
      break;
    case Value::Kind::CodeOffset:
      out += "@" + std::to_string(value.number);
      break;
    case Value::Kind::Text:
      out += "='" + value.text + "'";
      break;
    }
  }
  return out;
}

std::string shown(const InfoRecord &record) {
  return shown(read_values(elf::SectionType::CudaInfo, elf::encode_info({.records = {record}})));
}

std::string shown(InfoAttribute attribute, const elf::InfoValue &value) {
  const std::vector<u8> payload = elf::encode_payload(value);
  return shown(InfoRecord{RecordFormat::Sized, attribute, 0, payload});
}

TEST(AttributeValues, NameSymbols) {
  EXPECT_EQ(shown(InfoAttribute::Regcount, elf::InfoSymbolWord{2, 24}), "symbol=f value=24");
  EXPECT_EQ(shown(InfoAttribute::FrameSize, elf::InfoSymbolWord{1, 8}), "symbol=.text.f value=8");
  EXPECT_EQ(shown(InfoAttribute::FrameSize, elf::InfoSymbolWord{0, 8}), "symbol=#0 value=8");
  EXPECT_EQ(shown(InfoAttribute::Externs, elf::InfoWords{{2, 1}}), "symbols=f symbols=.text.f");
}

TEST(AttributeValues, TellOffsetsInCodeFromNumbers) {
  EXPECT_EQ(shown(InfoAttribute::ExitInstrOffsets, elf::InfoWords{{16, 32}}),
            "offsets@16 offsets@32");
  EXPECT_EQ(shown(InfoAttribute::MaxThreads, elf::InfoDim3{256, 2, 1}), "x=256 y=2 z=1");
  EXPECT_EQ(shown(InfoAttribute::IndirectBranchTargets,
                  elf::InfoBranchTargets{{{.offset = 16, .targets = {32, 48}}, {.offset = 64}}}),
            "offset@16 kind=0 targets@32 targets@48 offset@64 kind=0");
}

TEST(AttributeValues, KeepTheTextOfAnnotations) {
  EXPECT_EQ(shown(InfoAttribute::Annotations,
                  elf::InfoAnnotations{{{elf::kAnnotationOfFunction, 0, "slow"},
                                        {elf::kAnnotationOfCode, 16, "spills"}}}),
            "kind=3 text='slow' kind=2 offset@16 text='spills'");
}

TEST(AttributeValues, AreEmptyWhereTheLayoutIsNotKnown) {
  EXPECT_EQ(shown(InfoAttribute::MaxThreads, elf::InfoBytes{{1, 2, 3, 4}}), "");
  EXPECT_EQ(shown(static_cast<InfoAttribute>(0xee), elf::InfoBytes{{1, 2, 3, 4}}), "");
}

TEST(AttributeValues, OfUnsizedRecordsAreInTheirHeader) {
  EXPECT_EQ(shown({RecordFormat::Half, InfoAttribute::MaxregCount, 255, {}}), "value=255");
  const elf::CompatRecord compat{
      RecordFormat::Byte, elf::CompatAttribute::CudaAcceleratorTarget, 1, {}};
  EXPECT_EQ(
      shown(read_values(elf::SectionType::CudaCompat, elf::encode_compat({.records = {compat}}))),
      "value=1");
}

} // namespace
} // namespace culink
