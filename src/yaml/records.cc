// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call graph, prototypes, compatibility and the rarer records as text; .nv.info and notes have
// files of their own. Each describer checks itself: what its codec could not take in whole stays
// bytes
// (`raw`), so nothing is lost.
#include "yaml/records.h"

#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_rel_action.h"
#include "elf/records/nv_unified.h"
#include "support/bytes.h"
#include "yaml/document_fields.h"

namespace culink::text {

using namespace elf;

namespace {

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

} // namespace culink::text
