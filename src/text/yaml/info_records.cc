// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nv.info records as rows: {attr: REGCOUNT, symbol: kern, value: 24}. Which keys a row has follows
// from the attribute's shape in elf/nv_info.h. A record that is not as its row says (another
// format, another size, an attribute nobody knows) keeps its format and its bytes.
#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "text/document/byte_lines.h"
#include "text/yaml/records.h"

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

Node word_list(std::span<const u32> words) {
  Node out = Node::sequence(Node::Style::Flow);
  for (const u32 word : words)
    out.add(Node::scalar(hexadecimal(word)));
  return out;
}

void set_unless(Node &row, std::string_view key, u64 value, u64 otherwise) {
  if (value != otherwise)
    row.set(key, hexadecimal(value));
}

// Adds the keys of a sized record's value to its row.
class ValueDescriber {
public:
  ValueDescriber(Node &row, InfoShape shape, const NameIndex &symbols)
      : row_(row), shape_(shape), symbols_(symbols) {}

  void operator()(const InfoNumber &v) const { row_.set("value", hexadecimal(v.value)); }
  void operator()(const InfoWords &v) const {
    if (shape_ != InfoShape::Symbols)
      return row_.set(shape_ == InfoShape::Offsets ? "offsets" : "values", word_list(v.words));
    Node list = Node::sequence(Node::Style::Flow);
    for (const u32 symbol : v.words)
      list.add(symbols_.reference(symbol));
    row_.set("symbols", std::move(list));
  }
  void operator()(const InfoSymbolWord &v) const {
    row_.set("symbol", symbols_.reference(v.symbol));
    row_.set("value", hexadecimal(v.value));
  }
  void operator()(const InfoSymbolWords &v) const {
    row_.set("symbol", symbols_.reference(v.symbol));
    row_.set("values", word_list(v.values));
  }
  void operator()(const InfoDim3 &v) const {
    row_.set("dim", word_list(std::array<u32, 3>{v.x, v.y, v.z}));
  }
  void operator()(const InfoParameterBank &v) const {
    row_.set("symbol", symbols_.reference(v.symbol));
    row_.set("offset", hexadecimal(v.offset));
    row_.set("size", hexadecimal(v.size));
  }
  void operator()(const InfoKernelParameter &v) const {
    row_.set("ordinal", decimal(v.ordinal));
    row_.set("offset", hexadecimal(v.offset));
    row_.set("size", hexadecimal(v.size));
    set_unless(row_, "index", v.index, 0);
    set_unless(row_, "align", v.pointee_alignment, 0);
    set_unless(row_, "space", v.space, 0);
    set_unless(row_, "cbank", v.cbank, 0x1f);
    if (v.parameter_space)
      row_.set("parameter_space", "true");
  }
  void operator()(const InfoKernelParameter2 &v) const {
    row_.set("ordinal", decimal(v.ordinal));
    row_.set("offset", hexadecimal(v.offset));
    row_.set("size", hexadecimal(v.size));
    set_unless(row_, "index", v.index, 0);
    set_unless(row_, "align", v.pointee_alignment, 0);
    set_unless(row_, "space", v.space, 0);
    set_unless(row_, "high", v.high, 0);
  }
  void operator()(const InfoBranchTargets &v) const {
    Node list = Node::sequence(Node::Style::Flow);
    for (const InfoBranch &branch : v.branches) {
      Node item = Node::map(Node::Style::Flow);
      item.set("at", hexadecimal(branch.offset));
      set_unless(item, "kind", branch.kind, 0);
      item.set("targets", word_list(branch.targets));
      list.add(std::move(item));
    }
    row_.set("branches", std::move(list));
  }
  void operator()(const InfoTable &v) const {
    Node list = Node::sequence(Node::Style::Flow);
    for (u64 at = 0; at + v.columns <= v.words.size(); at += v.columns)
      list.add(word_list(std::span(v.words).subspan(at, v.columns)));
    row_.set("table", std::move(list));
  }
  void operator()(const InfoAnnotations &v) const {
    Node list = Node::sequence(Node::Style::Flow);
    for (const InfoAnnotation &note : v.annotations) {
      Node item = Node::map(Node::Style::Flow);
      if (note.kind != kAnnotationOfFunction)
        item.set("at", hexadecimal(note.offset));
      if (note.kind != kAnnotationMark)
        item.set("text", name_node(note.text));
      list.add(std::move(item));
    }
    row_.set("notes", std::move(list));
  }
  void operator()(const InfoBytes &v) const { row_.set("hex", hex_string(v.bytes)); }

private:
  Node &row_;
  InfoShape shape_;
  const NameIndex &symbols_;
};

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
  if (record.sized())
    std::visit(ValueDescriber(out, shape, symbols), decode_value(record));
  else
    set_unless(out, "value", record.value, 0);
  return out;
}

// ---- Assemble -----------------------------------------------------------------------------------

std::vector<u32> read_words(const Node *node, Complaints &complaints) {
  std::vector<u32> out;
  if (node)
    for (const Node &item : read_list(*node, complaints))
      out.push_back(static_cast<u32>(read_number(item, kMaxWord, complaints)));
  return out;
}

class ValueReader {
public:
  ValueReader(const MapReader &row, const NameIndex &symbols, Complaints &complaints)
      : row_(row), symbols_(symbols), complaints_(complaints) {}

  [[nodiscard]] InfoValue read(InfoShape shape) const {
    switch (shape) {
    case InfoShape::Opaque:
    case InfoShape::None:
    case InfoShape::Number8:
    case InfoShape::Number16:
      row_.report("needs its payload as `hex`");
      return InfoBytes{};
    case InfoShape::Word:
      return InfoNumber{word("value")};
    case InfoShape::Words:
      return InfoWords{read_words(need("values"), complaints_)};
    case InfoShape::Offsets:
      return InfoWords{read_words(need("offsets"), complaints_)};
    case InfoShape::SymbolWord:
      return InfoSymbolWord{symbol(), word("value")};
    case InfoShape::SymbolWords:
      return InfoSymbolWords{symbol(), read_words(need("values"), complaints_)};
    case InfoShape::Symbols:
      return symbol_list();
    case InfoShape::Dim3:
      return dimensions();
    case InfoShape::ParameterBank:
      return InfoParameterBank{symbol(), half("offset"), half("size")};
    case InfoShape::KernelParameter:
      return parameter();
    case InfoShape::KernelParameter2:
      return parameter2();
    case InfoShape::BranchTargets:
      return branches();
    case InfoShape::OffsetPairs:
      return table(2);
    case InfoShape::OffsetTriples:
      return table(3);
    case InfoShape::OffsetQuads:
      return table(4);
    case InfoShape::Annotations:
      return annotations();
    }
    return InfoBytes{};
  }

private:
  [[nodiscard]] const Node *need(std::string_view key) const {
    const Node *item = row_.find(key);
    if (!item)
      row_.report(fmt::format("`{}` is missing (or give the payload as `hex`)", key));
    return item;
  }
  [[nodiscard]] u32 word(std::string_view key) const {
    const Node *item = need(key);
    return item ? static_cast<u32>(read_number(*item, kMaxWord, complaints_)) : 0;
  }
  [[nodiscard]] u32 optional_word(std::string_view key) const {
    return static_cast<u32>(row_.number(key, 0, kMaxWord));
  }
  [[nodiscard]] u16 half(std::string_view key) const {
    const Node *item = need(key);
    return item ? static_cast<u16>(read_number(*item, 0xffff, complaints_)) : u16{0};
  }
  [[nodiscard]] u32 symbol() const {
    const Node *item = need("symbol");
    return item ? symbols_.resolve(*item, complaints_) : 0;
  }

  [[nodiscard]] InfoValue symbol_list() const {
    InfoWords out;
    if (const Node *list = need("symbols"))
      for (const Node &item : read_list(*list, complaints_))
        out.words.push_back(symbols_.resolve(item, complaints_));
    return out;
  }
  [[nodiscard]] InfoValue dimensions() const {
    const std::vector<u32> words = read_words(need("dim"), complaints_);
    if (words.size() != 3) {
      row_.report("`dim` needs three numbers");
      return InfoDim3{};
    }
    return InfoDim3{words[0], words[1], words[2]};
  }
  [[nodiscard]] InfoValue parameter() const {
    return InfoKernelParameter{optional_word("index"),
                               half("ordinal"),
                               half("offset"),
                               static_cast<u8>(row_.number("align", 0, 0xff)),
                               static_cast<u8>(row_.number("space", 0, 15)),
                               static_cast<u8>(row_.number("cbank", 0x1f, 0x1f)),
                               row_.flag("parameter_space"),
                               half("size")};
  }
  [[nodiscard]] InfoValue parameter2() const {
    return InfoKernelParameter2{optional_word("index"),
                                half("ordinal"),
                                half("offset"),
                                half("size"),
                                static_cast<u8>(row_.number("align", 0, 0xff)),
                                static_cast<u8>(row_.number("space", 0, 15)),
                                static_cast<u8>(row_.number("high", 0, 15))};
  }
  [[nodiscard]] InfoValue branches() const {
    constexpr std::string_view kKeys[] = {"at", "kind", "targets"};
    InfoBranchTargets out;
    if (const Node *list = need("branches"))
      for (const Node &item : read_list(*list, complaints_)) {
        const MapReader branch(item, kKeys, complaints_);
        out.branches.push_back({static_cast<u32>(branch.number("at", 0, kMaxWord)),
                                static_cast<u32>(branch.number("kind", 0, kMaxWord)),
                                read_words(branch.find("targets"), complaints_)});
      }
    return out;
  }
  [[nodiscard]] InfoValue table(u32 columns) const {
    InfoTable out{columns, {}};
    if (const Node *list = need("table"))
      for (const Node &item : read_list(*list, complaints_)) {
        const std::vector<u32> words = read_words(&item, complaints_);
        if (words.size() != columns)
          complaints_.add(item, fmt::format("a row of {} numbers is needed here", columns));
        out.words.insert(out.words.end(), words.begin(), words.end());
      }
    return out;
  }
  [[nodiscard]] InfoValue annotations() const {
    constexpr std::string_view kKeys[] = {"at", "text"};
    InfoAnnotations out;
    if (const Node *list = need("notes"))
      for (const Node &item : read_list(*list, complaints_)) {
        const MapReader note(item, kKeys, complaints_);
        const u32 kind = !note.has("at")    ? kAnnotationOfFunction
                         : note.has("text") ? kAnnotationOfCode
                                            : kAnnotationMark;
        out.annotations.push_back(
            {kind, static_cast<u32>(note.number("at", 0, kMaxWord)), note.name("text")});
      }
    return out;
  }

  const MapReader &row_;
  const NameIndex &symbols_;
  Complaints &complaints_;
};

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
    payload = encode_payload(
        ValueReader(row, symbols, complaints).read(known ? known->shape : InfoShape::Opaque));
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
