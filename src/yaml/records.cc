// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that hold records or tables, as text and back: each entry a row, its fields by key.
// What a codec could not take in whole stays bytes (`raw`), so nothing is lost.
#include "yaml/records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/fields.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/records/nv_unified.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/values.h"

namespace culink::text {

using namespace elf;

namespace {

// The fields of elf/records/fields.h as keys of a map, in both directions. First the one that
// adds the keys of a record to a map.
struct FieldWriter {
  static constexpr bool kDocument = true;
  Node &row;
  const NameIndex &symbols;
  elf::InfoShape shape = elf::InfoShape::Opaque;

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    if (rule.presence != elf::FieldRule::Optional || value != rule.otherwise)
      row.set(key.document,
              rule.form == elf::FieldForm::Decimal ? decimal(value) : hexadecimal(value));
  }
  void symbol(elf::FieldKey key, u32 index) { row.set(key.document, symbols.reference(index)); }
  void flag(elf::FieldKey key, bool set, std::string_view, std::string_view) {
    if (set)
      row.set(key.document, "true");
  }
  void text(elf::FieldKey key, const std::string &text) { row.set(key.document, name_node(text)); }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    row.set(key.document, list_of(words, rule.form));
  }
  void triple(elf::FieldKey key, u32 x, u32 y, u32 z) {
    numbers(key, std::array<u32, 3>{x, y, z}, {});
  }
  void table(const elf::InfoTable &table) {
    Node rows = Node::sequence(Node::Style::Flow);
    for (u64 at = 0; at + table.columns <= table.words.size(); at += table.columns)
      rows.add(list_of(std::span(table.words).subspan(at, table.columns), elf::FieldForm::Hex));
    row.set("table", std::move(rows));
  }
  void list(elf::FieldKey key, auto &records) {
    Node rows = Node::sequence(Node::Style::Flow);
    for (auto &record : records) {
      Node item = Node::map(Node::Style::Flow);
      FieldWriter inner{item, symbols};
      fields(inner, record);
      rows.add(std::move(item));
    }
    row.set(key.document, std::move(rows));
  }
  void bytes(elf::FieldKey key, ByteSpan bytes) { row.set(key.document, hex_string(bytes)); }
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey, u64) {}

private:
  [[nodiscard]] Node list_of(std::span<const u32> words, elf::FieldForm form) const {
    Node out = Node::sequence(Node::Style::Flow);
    for (const u32 word : words)
      out.add(form == elf::FieldForm::Symbol ? symbols.reference(word)
                                             : Node::scalar(hexadecimal(word)));
    return out;
  }
};

// Collects the keys that a record can have.
struct KeyCollector {
  static constexpr bool kDocument = true;
  std::vector<std::string_view> keys = {};

  void number(elf::FieldKey key, u64, const elf::FieldRule &) { keys.push_back(key.document); }
  void numbers(elf::FieldKey key, std::span<const u32>, const elf::FieldRule &) {
    keys.push_back(key.document);
  }
  void symbol(elf::FieldKey key, u32) { keys.push_back(key.document); }
  [[nodiscard]] bool has(std::string_view key, bool) {
    keys.push_back(key);
    return false;
  }
  void text(elf::FieldKey, const std::string &) {} // `has` was asked before
  void data_only(elf::FieldKey, u64) {}
};
template <class Record> std::vector<std::string_view> keys_of() {
  KeyCollector collector;
  Record record;
  fields(collector, record);
  return collector.keys;
}

// Fills a record from a map.
struct FieldReader {
  static constexpr bool kDocument = true;
  const MapReader &row;
  const NameIndex &symbols;
  Complaints &complaints;
  std::string_view instead = {}; // what may be given in place of a missing key
  elf::InfoShape shape = elf::InfoShape::Opaque;

  template <class Number>
  void number(elf::FieldKey key, Number &value, const elf::FieldRule &rule) const {
    constexpr u64 kMost = std::numeric_limits<Number>::max();
    const Node *node = find(key, rule);
    value = static_cast<Number>(node ? read_number(*node, std::min(rule.most, kMost), complaints)
                                     : rule.otherwise);
  }
  void symbol(elf::FieldKey key, u32 &index) const {
    if (const Node *node = find(key, {}))
      index = symbols.resolve(*node, complaints);
  }
  void flag(elf::FieldKey key, bool &set, std::string_view, std::string_view) const {
    set = row.flag(key.document);
  }
  void text(elf::FieldKey key, std::string &text) const { text = row.name(key.document); }
  void numbers(elf::FieldKey key, std::vector<u32> &words, const elf::FieldRule &rule) const {
    const Node *node = find(key, rule);
    for (const Node &item : node ? read_list(*node, complaints) : std::span<const Node>())
      words.push_back(rule.form == elf::FieldForm::Symbol
                          ? symbols.resolve(item, complaints)
                          : static_cast<u32>(read_number(item, kMaxWord, complaints)));
  }
  void triple(elf::FieldKey key, u32 &x, u32 &y, u32 &z) const {
    std::vector<u32> words;
    numbers(key, words, {});
    if (words.size() != 3)
      return row.report("`" + std::string(key.document) + "` needs three numbers");
    x = words[0], y = words[1], z = words[2];
  }
  void table(elf::InfoTable &table) const {
    const Node *rows = find("table", {});
    for (const Node &item : rows ? read_list(*rows, complaints) : std::span<const Node>()) {
      const std::span<const Node> words = read_list(item, complaints);
      for (const Node &word : words)
        table.words.push_back(static_cast<u32>(read_number(word, kMaxWord, complaints)));
      if (words.size() != table.columns)
        complaints.add(item,
                       "a row of " + std::to_string(table.columns) + " numbers is needed here");
    }
  }
  template <class Record> void list(elf::FieldKey key, std::vector<Record> &records) const {
    const std::vector<std::string_view> keys = keys_of<Record>();
    const Node *node = find(key, {});
    for (const Node &item : node ? read_list(*node, complaints) : std::span<const Node>()) {
      const MapReader map(item, keys, complaints);
      FieldReader inner{map, symbols, complaints};
      fields(inner, records.emplace_back());
    }
  }
  void bytes(elf::FieldKey key, std::vector<u8> &) const {
    row.report("needs its payload as `" + std::string(key.document) + "`");
  }
  [[nodiscard]] bool has(std::string_view key, bool) const { return row.has(key); }
  void data_only(elf::FieldKey, u64) const {}

private:
  [[nodiscard]] const Node *find(elf::FieldKey key, const elf::FieldRule &rule) const {
    const Node *node = row.find(key.document);
    if (!node && rule.presence == elf::FieldRule::Required)
      row.report("`" + std::string(key.document) + "` is missing" + std::string(instead));
    return node;
  }
};

struct RecordRow {
  std::string_view key;
  std::array<SectionRole, 4> roles; // unused ones are Unknown
};
constexpr std::array<RecordRow, 7> kRecordRows{{
    {"attributes", {SectionRole::Info}},
    {"callgraph", {SectionRole::Callgraph}},
    {"prototypes", {SectionRole::Prototype}},
    {"compat", {SectionRole::Compat}},
    {"notes",
     {SectionRole::NoteTkinfo, SectionRole::NoteCuinfo, SectionRole::NoteCuver, SectionRole::Note}},
    {"rel_actions", {SectionRole::RelAction}},
    {"unified", {SectionRole::UftEntry, SectionRole::UdtEntry}},
}};

Node flow_map() {
  return Node::map(Node::Style::Flow);
}

// ---- Prototype strings --------------------------------------------------------------------------

// A string of .strtab by its text, or by its offset where the text would lead elsewhere.
Node string_reference(u32 offset, const ByteSpan table_strings, const StringPlaces &places) {
  const std::optional<std::string_view> text = c_string_at(table_strings, offset);
  if (text && places.find(*text) == offset)
    return name_node(*text);
  Node out = flow_map();
  out.set("at", hexadecimal(offset));
  return out;
}

bool is_offset(const Node &node) {
  return node.is_map() && node.find("at");
}

u32 read_string_reference(const Node &node, const StringPlaces &places, Complaints &complaints) {
  if (is_offset(node)) {
    constexpr std::string_view kKeys[] = {"at"};
    return static_cast<u32>(MapReader(node, kKeys, complaints).number("at", 0, kMaxWord));
  }
  const std::string text = read_name(node, complaints);
  const std::optional<u32> offset = places.find(text);
  if (!offset)
    complaints.add(node, fmt::format("the string table has no '{}'; it was given as raw bytes, so "
                                     "write the offset: {{at: ...}}",
                                     text));
  return offset.value_or(0);
}

// ---- Call graph and prototypes ------------------------------------------------------------------

struct PartKey {
  CallPart part;
  std::string_view name;
};
constexpr std::array<PartKey, 5> kPartKeys{{
    {CallPart::Unmarked, "unmarked"},
    {CallPart::Calls, "calls"},
    {CallPart::AddressTaken, "address_taken"},
    {CallPart::IndirectCalls, "indirect_calls"},
    {CallPart::IndirectTargets, "indirect_targets"},
}};

const PartKey *part_row(CallPart part) {
  for (const PartKey &row : kPartKeys)
    if (row.part == part)
      return &row;
  return nullptr;
}

Node describe_pair(u32 first, u32 second, bool prototype, const RecordNames &names) {
  Node out = Node::sequence(Node::Style::Flow);
  out.add(names.symbols.reference(first));
  out.add(prototype ? string_reference(second, names.strings.table(), names.strings)
                    : names.symbols.reference(second));
  return out;
}

std::optional<Node> describe_callgraph(ByteSpan bytes, const RecordNames &names) {
  const CallGraph graph = decode_call_graph(bytes);
  if (!graph.rest.empty())
    return std::nullopt;
  Node out = Node::map();
  for (const CallGroup &group : graph.groups) {
    const PartKey *row = part_row(group.part);
    if (!row || out.find(row->name))
      return std::nullopt;
    Node pairs = Node::sequence();
    for (const CallPair &pair : group.pairs)
      pairs.add(describe_pair(pair.first, pair.second, second_is_prototype(group.part), names));
    out.set(row->name, std::move(pairs));
  }
  return out;
}

CallPair read_pair(const Node &node, bool prototype, const RecordNames &names,
                   Complaints &complaints) {
  const std::span<const Node> items = read_list(node, complaints);
  if (items.size() != 2) {
    complaints.add(node, prototype ? "[function, prototype] is needed here"
                                   : "[caller, callee] is needed here");
    return {};
  }
  return {names.symbols.resolve(items[0], complaints),
          prototype ? read_string_reference(items[1], names.strings, complaints)
                    : names.symbols.resolve(items[1], complaints)};
}

std::vector<u8> assemble_callgraph(const Node &content, const RecordNames &names,
                                   Complaints &complaints) {
  std::array<std::string_view, kPartKeys.size()> keys;
  for (std::size_t i = 0; i < kPartKeys.size(); ++i)
    keys[i] = kPartKeys[i].name;
  (void)MapReader(content, keys, complaints);
  CallGraph graph;
  for (const Node &item : content.items)
    for (const PartKey &row : kPartKeys) {
      if (row.name != item.key)
        continue;
      CallGroup group{row.part, {}};
      for (const Node &pair : read_list(item, complaints))
        group.pairs.push_back(read_pair(pair, second_is_prototype(row.part), names, complaints));
      graph.groups.push_back(std::move(group));
    }
  return encode_call_graph(graph);
}

std::optional<Node> describe_prototypes(ByteSpan bytes, const RecordNames &names) {
  const PrototypeSection section = decode_prototypes(bytes);
  if (!section.rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (const Prototype &record : section.records)
    out.add(describe_pair(record.symbol, record.string, true, names));
  return out;
}

std::vector<u8> assemble_prototypes(const Node &content, const RecordNames &names,
                                    Complaints &complaints) {
  PrototypeSection section;
  for (const Node &item : read_list(content, complaints)) {
    const CallPair pair = read_pair(item, true, names, complaints);
    section.records.push_back({pair.first, pair.second});
  }
  return encode_rows(section);
}

// ---- Compatibility ------------------------------------------------------------------------------

constexpr std::string_view kCompatPrefix = "EICOMPAT_ATTR_";

std::optional<Node> describe_compat(ByteSpan bytes) {
  const CompatSection section = decode_compat(bytes);
  if (!section.rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (const CompatRecord &record : section.records) {
    Node row = flow_map();
    const u32 code = static_cast<u32>(record.attribute);
    const std::optional<std::string_view> name = kCompatAttributeNames.name_of(code);
    row.set("attr", name ? std::string(name->substr(kCompatPrefix.size())) : hexadecimal(code));
    const CompatRow *known = compat_row(record.attribute);
    const bool regular =
        known && known->format == record.format &&
        (!record.sized() || (record.payload.size() == known->payload_size && known->payload_size));
    if (!regular)
      row.set("format", hexadecimal(static_cast<u32>(record.format)));
    if (record.sized() && !regular)
      row.set("hex", hex_string(record.payload));
    else
      row.set("value", hexadecimal(compat_number(record).value_or(record.value)));
    out.add(std::move(row));
  }
  return out;
}

std::optional<CompatAttribute> compat_attribute(const Node &node) {
  if (const std::optional<u32> code = kCompatAttributeNames.number_of(node.text))
    return static_cast<CompatAttribute>(*code);
  if (const std::optional<u64> code = parse_number(node.text); code && *code <= 0xff)
    return static_cast<CompatAttribute>(*code);
  return std::nullopt;
}

void append_compat_record(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"attr", "format", "value", "hex"};
  const MapReader row(node, kKeys, complaints);
  const Node *attr = row.find("attr");
  const std::optional<CompatAttribute> attribute =
      attr && attr->is_scalar() ? compat_attribute(*attr) : std::nullopt;
  if (!attribute) {
    row.report("`attr` must be a name such as ISA_CLASS, or a number up to 0xff");
    return;
  }
  const CompatRow *known = compat_row(*attribute);
  if (!known && !row.has("format")) {
    row.report("an attribute without a known layout needs `format`: 1 to 4");
    return;
  }
  CompatRecord record;
  record.attribute = *attribute;
  record.format = static_cast<RecordFormat>(
      row.number("format", known ? static_cast<u64>(known->format) : 0, 0xff));
  std::vector<u8> payload;
  if (!record.sized()) {
    record.value = static_cast<u16>(row.number("value", 0, 0xffff));
  } else if (const Node *hex = row.find("hex")) {
    payload = read_hex(*hex, complaints);
  } else {
    payload.resize(8);
    store_le<u64>(payload.data(), row.number("value", 0));
    payload.resize(known ? std::min<u64>(8, known->payload_size) : 8);
  }
  if (payload.size() > 0xffff)
    row.report("the payload is longer than 65535 bytes");
  record.payload = ByteSpan(payload).first(std::min<u64>(payload.size(), 0xffff));
  append_record(out, record);
}

// ---- Relocation actions and unified entries -----------------------------------------------------

std::optional<Node> describe_actions(ByteSpan bytes) {
  const RelocationActions section = decode_relocation_actions(bytes);
  if (!section.rest.empty() || !section.has_header)
    return std::nullopt;
  Node rows = Node::sequence();
  for (const RelocationAction &action : section.actions) {
    Node row = Node::sequence(Node::Style::Flow);
    row.add(Node::scalar(decimal(static_cast<u32>(action.kind))));
    row.add(Node::scalar(decimal(action.mode)));
    for (const RelocationField &field : action.fields)
      for (const u8 value : {field.shift, field.width, field.position})
        row.add(Node::scalar(decimal(value)));
    rows.add(std::move(row));
  }
  Node out = Node::map();
  out.set("first_type", decimal(section.first_type));
  if (section.reserved != 0)
    out.set("reserved", hexadecimal(section.reserved));
  out.set("actions", std::move(rows));
  return out;
}

std::vector<u8> assemble_actions(const Node &content, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"first_type", "reserved", "actions"};
  const MapReader fields(content, kKeys, complaints);
  RelocationActions section;
  section.has_header = true;
  section.first_type = static_cast<u32>(fields.number("first_type", 0, kMaxWord));
  section.reserved = static_cast<u32>(fields.number("reserved", 0, kMaxWord));
  for (const Node &item : fields.list("actions")) {
    const std::span<const Node> row = read_list(item, complaints);
    if (row.size() != 8) {
      complaints.add(item, "[kind, mode, shift, width, position, shift, width, position] is needed "
                           "here");
      continue;
    }
    std::array<u8, 8> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<u8>(read_number(row[i], 0xff, complaints));
    section.actions.push_back(
        {static_cast<RelocationValueKind>(values[0]),
         values[1],
         {{{values[2], values[3], values[4]}, {values[5], values[6], values[7]}}}});
  }
  return encode_relocation_actions(section);
}

std::optional<Node> describe_unified(ByteSpan bytes, const NameIndex &symbols) {
  const UnifiedSection section = decode_unified_entries(bytes);
  if (!section.rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (UnifiedEntry entry : section.records) {
    Node row = flow_map();
    FieldWriter writer{row, symbols};
    fields(writer, entry);
    out.add(std::move(row));
  }
  return out;
}

std::vector<u8> assemble_unified(const Node &content, const NameIndex &symbols,
                                 Complaints &complaints) {
  const std::vector<std::string_view> keys = keys_of<UnifiedEntry>();
  UnifiedSection section;
  for (const Node &item : read_list(content, complaints)) {
    const MapReader row(item, keys, complaints);
    FieldReader reader{row, symbols, complaints};
    fields(reader, section.records.emplace_back());
  }
  return encode_rows(section);
}

} // namespace

std::string_view record_key(SectionRole role) {
  if (role == SectionRole::Unknown)
    return {};
  for (const RecordRow &row : kRecordRows)
    for (const SectionRole candidate : row.roles)
      if (candidate == role)
        return row.key;
  return {};
}

bool is_record_key(std::string_view key) {
  for (const RecordRow &row : kRecordRows)
    if (row.key == key)
      return true;
  return false;
}

std::optional<Node> describe_records(SectionRole role, ByteSpan bytes, const RecordNames &names) {
  const std::string_view key = record_key(role);
  if (key == "attributes")
    return describe_info(bytes, names.symbols);
  if (key == "callgraph")
    return describe_callgraph(bytes, names);
  if (key == "prototypes")
    return describe_prototypes(bytes, names);
  if (key == "compat")
    return describe_compat(bytes);
  if (key == "notes")
    return describe_notes(bytes);
  if (key == "rel_actions")
    return describe_actions(bytes);
  if (key == "unified")
    return describe_unified(bytes, names.symbols);
  return std::nullopt;
}

std::vector<u8> assemble_records(const Node &content, const RecordNames &names,
                                 Complaints &complaints) {
  if (content.key == "attributes")
    return assemble_info(content, names.symbols, complaints);
  if (content.key == "callgraph")
    return assemble_callgraph(content, names, complaints);
  if (content.key == "prototypes")
    return assemble_prototypes(content, names, complaints);
  if (content.key == "notes")
    return assemble_notes(content, complaints);
  if (content.key == "rel_actions")
    return assemble_actions(content, complaints);
  if (content.key == "unified")
    return assemble_unified(content, names.symbols, complaints);
  std::vector<u8> out;
  for (const Node &record : read_list(content, complaints))
    append_compat_record(out, record, complaints);
  return out;
}

void collect_strings(const Node &content, std::vector<std::string_view> &out) {
  const auto from_pairs = [&](const Node &pairs) {
    for (const Node &pair : pairs.items)
      if (pair.items.size() == 2 && pair.items[1].is_scalar())
        out.push_back(pair.items[1].text);
  };
  if (content.key == "prototypes")
    from_pairs(content);
  if (content.key == "callgraph")
    for (const Node &part : content.items)
      for (const PartKey &row : kPartKeys)
        if (row.name == part.key && second_is_prototype(row.part))
          from_pairs(part);
}

// nv.info records as rows: {attr: REGCOUNT, symbol: kern, value: 24}. Which keys a row has follows
// from the attribute's shape in elf/nv_info.h. A record that is not as its row says (another
// format, another size, an attribute nobody knows) keeps its format and its bytes.

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

// ELF notes as text and back. The two kinds that NVIDIA's tools write have fields; any other note,
// and one of theirs whose descriptor has another layout, is its type, owner and bytes.

namespace {

constexpr std::string_view kNoteKeys[] = {"tkinfo", "cuinfo", "note"};
constexpr std::string_view kToolkitKeys[] = {"version",      "object", "tool",
                                             "tool_version", "build",  "options"};

std::optional<Node> describe_toolkit_note(const Note &note) {
  const Result<ToolkitInfo> info = decode_toolkit_info(note.desc);
  if (!info)
    return std::nullopt;
  Node fields = Node::map();
  if (info->version != ToolkitInfo{}.version)
    fields.set("version", decimal(info->version));
  const std::array<std::string_view, 5> values = {info->object, info->tool, info->tool_version,
                                                  info->build, info->options};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty())
      fields.set(kToolkitKeys[i + 1], name_node(values[i]));
  Node out = Node::map();
  out.set("tkinfo", std::move(fields));
  return out;
}

std::optional<Node> describe_cuda_note(const Note &note) {
  Result<CudaInfo> info = decode_cuda_info(note.desc);
  if (!info || info->words)
    return std::nullopt;
  Node row = Node::map(Node::Style::Flow);
  FieldWriter writer{row, NameIndex()};
  fields(writer, *info);
  Node out = Node::map();
  out.set("cuinfo", std::move(row));
  return out;
}

Node describe_note(const Note &note) {
  const bool ours = note.name == kNoteOwner;
  if (ours && note.type == kNoteToolkitInfo)
    if (std::optional<Node> typed = describe_toolkit_note(note))
      return std::move(*typed);
  if (ours && note.type == kNoteCudaInfo)
    if (std::optional<Node> typed = describe_cuda_note(note))
      return std::move(*typed);
  Node fields = Node::map(Node::Style::Flow);
  fields.set("type", decimal(note.type));
  fields.set("owner", hex_string(as_bytes(note.name)));
  fields.set("hex", hex_string(note.desc));
  Node out = Node::map();
  out.set("note", std::move(fields));
  return out;
}

void append_toolkit_note(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  const MapReader fields(node, kToolkitKeys, complaints);
  const std::array<std::string, 5> values = {fields.name("object"), fields.name("tool"),
                                             fields.name("tool_version"), fields.name("build"),
                                             fields.name("options")};
  const ToolkitInfo info{
      static_cast<u32>(fields.number("version", ToolkitInfo{}.version, kMaxWord)),
      values[0],
      values[1],
      values[2],
      values[3],
      values[4]};
  const std::vector<u8> desc = encode_toolkit_info(info);
  append_note(out, {kNoteToolkitInfo, kNoteOwner, desc});
}

void append_cuda_note(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  const MapReader row(node, keys_of<CudaInfo>(), complaints);
  FieldReader reader{row, NameIndex(), complaints};
  CudaInfo info;
  fields(reader, info);
  const std::vector<u8> desc = encode_cuda_info(info);
  append_note(out, {kNoteCudaInfo, kNoteOwner, desc});
}

void append_plain_note(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"type", "owner", "hex"};
  const MapReader fields(node, kKeys, complaints);
  std::vector<u8> owner, desc;
  if (const Node *item = fields.find("owner"))
    owner = read_hex(*item, complaints);
  if (const Node *item = fields.find("hex"))
    desc = read_hex(*item, complaints);
  append_note(out, {static_cast<u32>(fields.number("type", 0, kMaxWord)), as_text(owner), desc});
}

} // namespace

std::optional<Node> describe_notes(ByteSpan bytes) {
  const NoteSection section = decode_notes(bytes);
  if (!section.rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (const Note &note : section.notes)
    out.add(describe_note(note));
  return out;
}

std::vector<u8> assemble_notes(const Node &content, Complaints &complaints) {
  std::vector<u8> out;
  for (const Node &item : read_list(content, complaints)) {
    const MapReader note(item, kNoteKeys, complaints);
    if (note.has("tkinfo"))
      append_toolkit_note(out, *note.find("tkinfo"), complaints);
    if (note.has("cuinfo"))
      append_cuda_note(out, *note.find("cuinfo"), complaints);
    if (note.has("note"))
      append_plain_note(out, *note.find("note"), complaints);
  }
  return out;
}

// ---- Symbols and relocations
// ---------------------------------------------------------------------

// Rows of symbol and relocation tables. A symbol's section is a reference; st_shndx and the
// extended index follow from it. What a reference cannot say (SHN_ABS, an index of no section)
// stands under `shndx` as stored.

namespace {

constexpr std::array<std::string_view, 9> kSymbolKeys = {
    "name", "name_at", "type", "bind", "section", "shndx", "value", "size", "other"};
constexpr std::array<std::string_view, 4> kRelocationKeys = {"at", "type", "to", "add"};

// Whether `section` says all about st_shndx.
bool section_is_reference(const Symbol &symbol, const NameIndex &sections) {
  if (!symbol.in_section() || symbol.section >= sections.size())
    return false;
  return (symbol.raw_section == elf::kSectionXindex) == (symbol.section >= elf::kSectionLoReserve);
}

// The name that a row without `name` and `name_at` stands for.
std::string_view implied_name(const Symbol &symbol, const NameIndex &sections) {
  if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
    return {};
  return sections.name(symbol.section);
}

elf::SymbolBinding default_binding(elf::SymbolType type) {
  return type == elf::SymbolType::Section ? elf::SymbolBinding::Local : elf::SymbolBinding::Global;
}

} // namespace

SymbolName symbol_name(const Symbol &symbol, const NameIndex &sections,
                       const StringPlaces &strings) {
  std::string_view implied;
  if (section_is_reference(symbol, sections))
    implied = implied_name(symbol, sections);
  if (symbol.name_offset == 0)
    return {implied.empty() ? SymbolName::Form::Implied : SymbolName::Form::Stated, {}};
  if (symbol.name.empty() || strings.find(symbol.name) != symbol.name_offset)
    return {SymbolName::Form::Offset, {}};
  return {symbol.name == implied ? SymbolName::Form::Implied : SymbolName::Form::Stated,
          symbol.name};
}

Node describe_symbol(const Symbol &symbol, const SymbolName &name, const NameIndex &sections) {
  Node out = Node::map(Node::Style::Flow);
  if (name.form == SymbolName::Form::Stated)
    out.set("name", name_node(name.name));
  if (name.form == SymbolName::Form::Offset)
    out.set("name_at", hexadecimal(symbol.name_offset));
  if (symbol.type() != elf::SymbolType::NoType)
    out.set("type", words_of(Words::SymbolType, symbol.type()));
  if (symbol.binding() != default_binding(symbol.type()))
    out.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
  if (section_is_reference(symbol, sections))
    out.set("section", sections.reference(symbol.section));
  else if (symbol.raw_section != elf::kSectionUndefined)
    out.set("shndx", hexadecimal(symbol.raw_section));
  if (symbol.value != 0)
    out.set("value", hexadecimal(symbol.value));
  if (symbol.size != 0)
    out.set("size", hexadecimal(symbol.size));
  if (symbol.other != 0)
    out.set("other", words_of(Words::SymbolOther, symbol.other));
  return out;
}

SymbolRow read_symbol(const Node &node, const NameIndex &sections, Complaints &complaints) {
  const MapReader row(node, kSymbolKeys, complaints);
  SymbolRow out;
  Symbol &symbol = out.symbol;
  elf::SymbolType type = elf::SymbolType::NoType;
  read_words(Words::SymbolType, row.find("type"), type, complaints);
  elf::SymbolBinding binding = default_binding(type);
  read_words(Words::SymbolBinding, row.find("bind"), binding, complaints);
  symbol.info = static_cast<u8>(static_cast<u32>(binding) << 4 | static_cast<u32>(type));
  read_words(Words::SymbolOther, row.find("other"), symbol.other, complaints);
  symbol.value = row.number("value", 0);
  symbol.size = row.number("size", 0);
  if (const Node *item = row.find("section")) {
    symbol.section = sections.resolve(*item, complaints);
    symbol.raw_section = static_cast<u16>(
        symbol.section >= elf::kSectionLoReserve ? elf::kSectionXindex : symbol.section);
  } else {
    symbol.raw_section = static_cast<u16>(row.number("shndx", 0, 0xffff));
    symbol.section = symbol.raw_section;
  }
  if (row.has("name_at")) {
    symbol.name_offset = static_cast<u32>(row.number("name_at", 0, 0xffffffff));
    out.has_offset = true;
  } else if (row.has("name")) {
    out.name = row.name("name");
  } else if (row.has("section")) {
    out.name = implied_name(symbol, sections);
  }
  return out;
}

Node describe_relocation(const elf::Relocation &relocation, bool has_addend,
                         const NameIndex &symbols) {
  Node out = Node::map(Node::Style::Flow);
  out.set("at", hexadecimal(relocation.offset));
  out.set("type", words_of(Words::RelocationType, relocation.type));
  if (relocation.symbol != 0)
    out.set("to", symbols.reference(relocation.symbol));
  if (has_addend && relocation.addend != 0)
    out.set("add", signed_hexadecimal(relocation.addend));
  return out;
}

elf::Relocation read_relocation(const Node &node, bool has_addend, const NameIndex &symbols,
                                Complaints &complaints) {
  const MapReader row(node, kRelocationKeys, complaints);
  elf::Relocation out;
  out.offset = row.number("at", 0);
  read_words(Words::RelocationType, row.find("type"), out.type, complaints);
  if (!row.has("type"))
    row.report("`type` is missing: a name such as R_CUDA_ABS32_LO_32, or a number");
  if (const Node *item = row.find("to"))
    out.symbol = symbols.resolve(*item, complaints);
  if (const Node *item = row.find("add")) {
    const std::optional<i64> addend = item->is_scalar() ? parse_signed(item->text) : std::nullopt;
    if (!addend)
      complaints.add(*item, "not a number");
    else if (!has_addend && *addend != 0)
      complaints.add(*item, "a table of type REL has no addends; use .rela and type RELA");
    out.addend = addend.value_or(0);
  }
  return out;
}

} // namespace culink::text
