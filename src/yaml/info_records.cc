// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nv.info records as rows: {attr: REGCOUNT, symbol: kern, value: 24}. Which keys a row has follows
// from the attribute's shape in elf/nv_info.h. A record that is not as its row says (another
// format, another size, an attribute nobody knows) keeps its format and its bytes.
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "yaml/document_fields.h"
#include "yaml/records.h"

namespace culink::text {

using namespace elf;

namespace {

constexpr std::string_view kPrefix = "EIATTR_";
constexpr std::string_view kFormatPrefix = "EIFMT_";

constexpr std::array<std::string_view, 21> kRecordKeys = {
    "attr",  "format", "hex",   "value", "values",  "offsets", "symbol",  "symbols",
    "dim",   "offset", "size",  "index", "space",   "cbank",   "ordinal", "parameter_space",
    "align", "high",   "table", "notes", "branches"};

// ---- Describe -----------------------------------------------------------------------------------

Node describe_record(const InfoRecord &record, const NameIndex &symbols) {
  Node out = Node::map(Node::Style::Flow);
  const u32 code = static_cast<u32>(record.attribute);
  const std::optional<std::string_view> name = kInfoAttributeNames.name_of(code);
  out.set("attr", name ? std::string(name->substr(kPrefix.size())) : fmt::format("{:#x}", code));
  const InfoRow *row = info_row(record.attribute);
  const InfoShape shape = effective_shape(record);
  if (!row || row->format != record.format || (record.sized() && row->shape != shape)) {
    const std::optional<std::string_view> format =
        kInfoFormatNames.name_of(static_cast<u32>(record.format));
    out.set("format", format ? std::string(format->substr(kFormatPrefix.size()))
                             : hexadecimal(static_cast<u32>(record.format)));
    if (record.sized()) {
      out.set("hex", hex_string(record.payload));
      return out;
    }
  }
  FieldWriter writer{out, symbols, shape};
  if (!record.sized()) {
    writer.number("value", record.value, {FieldForm::Hex, FieldRule::Optional});
    return out;
  }
  InfoValue value = decode_value(record);
  std::visit([&](auto &v) { fields(writer, v); }, value);
  return out;
}

// ---- Assemble -----------------------------------------------------------------------------------

// A value of a shape that is still to be read.
InfoValue empty_value(InfoShape shape) {
  switch (shape) {
  case InfoShape::Opaque:
  case InfoShape::None:
  case InfoShape::Number8:
  case InfoShape::Number16:
    return InfoBytes{};
  case InfoShape::Word:
    return InfoNumber{};
  case InfoShape::Words:
  case InfoShape::Offsets:
  case InfoShape::Symbols:
    return InfoWords{};
  case InfoShape::SymbolWord:
    return InfoSymbolWord{};
  case InfoShape::SymbolWords:
    return InfoSymbolWords{};
  case InfoShape::Dim3:
    return InfoDim3{};
  case InfoShape::ParameterBank:
    return InfoParameterBank{};
  case InfoShape::KernelParameter:
    return InfoKernelParameter{};
  case InfoShape::KernelParameter2:
    return InfoKernelParameter2{};
  case InfoShape::BranchTargets:
    return InfoBranchTargets{};
  case InfoShape::OffsetPairs:
    return InfoTable{2, {}};
  case InfoShape::OffsetTriples:
    return InfoTable{3, {}};
  case InfoShape::OffsetQuads:
    return InfoTable{4, {}};
  case InfoShape::Annotations:
    return InfoAnnotations{};
  }
  return InfoBytes{};
}

std::vector<u8> read_payload(const MapReader &row, InfoShape shape, const NameIndex &symbols,
                             Complaints &complaints) {
  FieldReader reader{row, symbols, complaints, " (or give the payload as `hex`)", shape};
  InfoValue value = empty_value(shape);
  std::visit([&](auto &v) { fields(reader, v); }, value);
  return encode_payload(value);
}

u8 read_attribute(const MapReader &row, Complaints &complaints) {
  const Node *node = row.find("attr");
  if (!node || !node->is_scalar()) {
    row.report("`attr` is missing: a name such as REGCOUNT, or a number");
    return 0;
  }
  if (const std::optional<u32> code = kInfoAttributeNames.number_of(node->text))
    return static_cast<u8>(*code);
  if (const std::optional<u64> code = parse_number(node->text); code && *code <= 0xff)
    return static_cast<u8>(*code);
  complaints.add(*node, fmt::format("'{}' is no nv.info attribute; `cubin dump --info` shows the "
                                    "names, a number up to 0xff is taken as well",
                                    node->text));
  return 0;
}

RecordFormat read_format(const MapReader &row, const InfoRow *known, Complaints &complaints) {
  const Node *node = row.find("format");
  if (!node) {
    if (known)
      return known->format;
    row.report("an attribute without a known layout needs `format`: NVAL, BVAL, HVAL or SVAL");
    return RecordFormat::NoValue;
  }
  if (const std::optional<u32> format = kInfoFormatNames.number_of(node->text))
    return static_cast<RecordFormat>(*format);
  return static_cast<RecordFormat>(read_number(*node, 0xff, complaints));
}

} // namespace

std::optional<Node> describe_info(ByteSpan bytes, const NameIndex &symbols) {
  const InfoSection section = decode_info(bytes);
  if (!section.rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (const InfoRecord &record : section.records)
    out.add(describe_record(record, symbols));
  return out;
}

void assemble_info_record(std::vector<u8> &out, const Node &record, const NameIndex &symbols,
                          Complaints &complaints) {
  const MapReader row(record, kRecordKeys, complaints);
  InfoRecord result;
  result.attribute = static_cast<InfoAttribute>(read_attribute(row, complaints));
  const InfoRow *known = info_row(result.attribute);
  result.format = read_format(row, known, complaints);
  std::vector<u8> payload;
  if (!result.sized())
    result.value = static_cast<u16>(row.number("value", 0, 0xffff));
  else if (const Node *hex = row.find("hex"))
    payload = read_hex(*hex, complaints);
  else
    payload = read_payload(row, known ? known->shape : InfoShape::Opaque, symbols, complaints);
  if (payload.size() > 0xffff) {
    row.report(
        fmt::format("the payload has {} bytes; a record holds at most 65535", payload.size()));
    payload.clear();
  }
  result.payload = payload;
  append_record(out, result);
}

std::vector<u8> assemble_info(const Node &content, const NameIndex &symbols,
                              Complaints &complaints) {
  std::vector<u8> out;
  for (const Node &record : read_list(content, complaints))
    assemble_info_record(out, record, symbols, complaints);
  return out;
}

} // namespace culink::text
