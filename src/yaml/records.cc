// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts sections with records or tables to text and back: each entry is a row, its fields are
// keys. Contents that a codec cannot fully decode stay bytes (`raw`), so that no information is
// lost.
#include "yaml/records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/records/nv_unified.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/values.h"
#include "yaml/row_io.h"

namespace culink::text {

using namespace elf;

namespace {

// Returns the records of a section, unless it also has other contents.
template <class Records>
std::optional<Node> rows_of(const Records &records, ByteSpan rest, auto describe) {
  if (!rest.empty())
    return std::nullopt;
  Node out = Node::sequence();
  for (const auto &record : records)
    out.add(describe(record));
  return out;
}

// Returns a name without the common prefix of its kind, or the number if it has no name.
std::string name_or_number(const NameTable<u32> &table, std::string_view prefix, u32 number) {
  const std::optional<std::string_view> name = table.name_of(number);
  return name ? std::string(name->substr(prefix.size())) : hexadecimal(number);
}
std::optional<u8> attribute_code(const NameTable<u32> &table, const Node *node) {
  if (!node || !node->is_scalar())
    return std::nullopt;
  if (const std::optional<u32> code = table.number_of(node->text))
    return static_cast<u8>(*code);
  const std::optional<u64> code = parse_number(node->text);
  return code && *code <= 0xff ? std::optional(static_cast<u8>(*code)) : std::nullopt;
}

// ---- Prototype strings --------------------------------------------------------------------------

// Returns a string of .strtab by its text, or by its offset if the text has another offset.
Node string_reference(u32 offset, const ByteSpan table_strings, const StringPlaces &places) {
  const std::optional<std::string_view> text = c_string_at(table_strings, offset);
  if (text && places.find(*text) == offset)
    return name_node(*text);
  Node out = Node::map(Node::Style::Flow);
  out.set("at", hexadecimal(offset));
  return out;
}

u32 read_string_reference(const Node &node, const StringPlaces &places, Complaints &complaints) {
  if (node.is_map() && node.find("at")) {
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

// The keys, by CallPart.
constexpr std::array<std::string_view, 5> kPartKeys = {"unmarked", "calls", "address_taken",
                                                       "indirect_calls", "indirect_targets"};

std::optional<CallPart> part_of(std::string_view key) {
  const auto found = std::ranges::find(kPartKeys, key);
  return found == kPartKeys.end() ? std::nullopt
                                  : std::optional(static_cast<CallPart>(found - kPartKeys.begin()));
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
    const u32 part = static_cast<u32>(group.part);
    if (part >= kPartKeys.size() || out.find(kPartKeys[part]))
      return std::nullopt;
    Node pairs = Node::sequence();
    for (const CallPair &pair : group.pairs)
      pairs.add(describe_pair(pair.first, pair.second, second_is_prototype(group.part), names));
    out.set(kPartKeys[part], std::move(pairs));
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
  (void)MapReader(content, kPartKeys, complaints);
  CallGraph graph;
  for (const Node &item : content.items)
    if (const std::optional<CallPart> part = part_of(item.key)) {
      CallGroup &group = graph.groups.emplace_back(CallGroup{*part, {}});
      for (const Node &pair : read_list(item, complaints))
        group.pairs.push_back(read_pair(pair, second_is_prototype(*part), names, complaints));
    }
  return encode_call_graph(graph);
}

std::optional<Node> describe_prototypes(ByteSpan bytes, const RecordNames &names) {
  const PrototypeSection section = decode_prototypes(bytes);
  return rows_of(section.records, section.rest, [&](const Prototype &record) {
    return describe_pair(record.symbol, record.string, true, names);
  });
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

Node describe_compat_record(const CompatRecord &record) {
  Node row = Node::map(Node::Style::Flow);
  row.set("attr",
          name_or_number(kCompatAttributeNames, kCompatPrefix, static_cast<u32>(record.attribute)));
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
  return row;
}

std::optional<Node> describe_compat(ByteSpan bytes, const RecordNames &) {
  const CompatSection section = decode_compat(bytes);
  return rows_of(section.records, section.rest, describe_compat_record);
}

void append_compat_record(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"attr", "format", "value", "hex"};
  const MapReader row(node, kKeys, complaints);
  const std::optional<u8> code = attribute_code(kCompatAttributeNames, row.find("attr"));
  if (!code)
    return row.report("`attr` must be a name such as ISA_CLASS, or a number up to 0xff");
  CompatRecord record;
  record.attribute = static_cast<CompatAttribute>(*code);
  const CompatRow *known = compat_row(record.attribute);
  if (!known && !row.has("format"))
    return row.report("an attribute without a known layout needs `format`: 1 to 4");
  record.format = static_cast<RecordFormat>(
      row.number("format", known ? static_cast<u64>(known->format) : 0, 0xff));
  std::vector<u8> payload;
  if (!record.sized()) {
    record.value = static_cast<u16>(row.number("value", 0, 0xffff));
  } else if (const Node *hex = row.find("hex")) {
    payload = read_data(*hex, complaints);
  } else {
    append_le<u64>(payload, row.number("value", 0));
    payload.resize(known ? std::min<u64>(8, known->payload_size) : 8);
  }
  if (payload.size() > 0xffff)
    row.report("the payload is longer than 65535 bytes");
  record.payload = ByteSpan(payload).first(std::min<u64>(payload.size(), 0xffff));
  append_record(out, record);
}

std::vector<u8> assemble_compat(const Node &content, const RecordNames &, Complaints &complaints) {
  std::vector<u8> out;
  for (const Node &record : read_list(content, complaints))
    append_compat_record(out, record, complaints);
  return out;
}

// ---- Relocation actions and unified entries -----------------------------------------------------

// The numbers of an action, in the order of the record.
using ActionNumbers = std::array<u8, sizeof(RelocationAction)>;

std::optional<Node> describe_actions(ByteSpan bytes, const RecordNames &) {
  const RelocationActions section = decode_relocation_actions(bytes);
  if (!section.rest.empty() || !section.has_header)
    return std::nullopt;
  Node rows = Node::sequence();
  for (const RelocationAction &action : section.actions) {
    Node &row = rows.items.emplace_back(Node::sequence(Node::Style::Flow));
    for (const u8 number : std::bit_cast<ActionNumbers>(action))
      row.add(Node::scalar(decimal(number)));
  }
  Node out = Node::map();
  RowWriter io{out, NameIndex()};
  io.number("first_type", section.first_type, {FieldForm::Decimal});
  io.number("reserved", section.reserved, unless(0));
  out.set("actions", std::move(rows));
  return out;
}

std::vector<u8> assemble_actions(const Node &content, const RecordNames &, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"first_type", "reserved", "actions"};
  const MapReader fields(content, kKeys, complaints);
  RelocationActions section;
  section.has_header = true;
  section.first_type = static_cast<u32>(fields.number("first_type", 0, kMaxWord));
  section.reserved = static_cast<u32>(fields.number("reserved", 0, kMaxWord));
  for (const Node &item : fields.list("actions")) {
    const std::span<const Node> row = read_list(item, complaints);
    ActionNumbers numbers{};
    if (row.size() != numbers.size()) {
      complaints.add(item, "[kind, mode, shift, width, position, shift, width, position] is needed "
                           "here");
      continue;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<u8>(read_number(row[i], 0xff, complaints));
    section.actions.push_back(std::bit_cast<RelocationAction>(numbers));
  }
  return encode_relocation_actions(section);
}

std::optional<Node> describe_unified(ByteSpan bytes, const RecordNames &names) {
  const UnifiedSection section = decode_unified_entries(bytes);
  return rows_of(section.records, section.rest,
                 [&](const UnifiedEntry &entry) { return row_of(entry, names.symbols); });
}

std::vector<u8> assemble_unified(const Node &content, const RecordNames &names,
                                 Complaints &complaints) {
  UnifiedSection section;
  for (const Node &item : read_list(content, complaints))
    section.records.push_back(read_row<UnifiedEntry>(item, complaints, names.symbols));
  return encode_rows(section);
}

// ---- Attributes ---------------------------------------------------------------------------------

// nv.info records as rows: {attr: REGCOUNT, symbol: kern, value: 24}. The shape of the attribute in
// elf/records/nv_info.h determines the keys of a row. A record that does not match its shape
// (another format, another size, an unknown attribute) keeps its format and its bytes.

constexpr std::string_view kPrefix = "EIATTR_";
constexpr std::string_view kFormatPrefix = "EIFMT_";

constexpr std::array<std::string_view, 21> kRecordKeys = {
    "attr",  "format", "hex",   "value", "values",  "offsets", "symbol",  "symbols",
    "dim",   "offset", "size",  "index", "space",   "cbank",   "ordinal", "parameter_space",
    "align", "high",   "table", "notes", "branches"};

} // namespace

Node describe_info_record(const InfoRecord &record, const NameIndex &symbols) {
  Node out = Node::map(Node::Style::Flow);
  out.set("attr", name_or_number(kInfoAttributeNames, kPrefix, static_cast<u32>(record.attribute)));
  const InfoRow *row = info_row(record.attribute);
  const InfoShape shape = effective_shape(record);
  if (!row || row->format != record.format || (record.sized() && row->shape != shape)) {
    out.set("format",
            name_or_number(kInfoFormatNames, kFormatPrefix, static_cast<u32>(record.format)));
    if (record.sized()) {
      out.set("hex", hex_string(record.payload));
      return out;
    }
  }
  RowWriter writer{out, symbols, shape};
  if (!record.sized()) {
    writer.number("value", record.value, {FieldForm::Hex, FieldRule::Optional});
    return out;
  }
  InfoValue value = decode_value(record);
  std::visit([&](auto &v) { fields(writer, v); }, value);
  return out;
}

namespace {

// Returns a value to fill in, with the type of the attribute's payload: decodes the smallest valid
// payload of zeros.
InfoValue empty_value(const InfoRecord &record) {
  constexpr std::array<u8, 12> kZeros{};
  for (u64 size = 0; size <= kZeros.size(); size += 4) {
    InfoRecord zeros = record;
    zeros.payload = ByteSpan(kZeros).first(size);
    if (InfoValue value = decode_value(zeros); !std::holds_alternative<InfoBytes>(value))
      return value;
  }
  return InfoBytes{};
}

u8 read_attribute(const MapReader &row, Complaints &complaints) {
  const Node *node = row.find("attr");
  const std::optional<u8> code = attribute_code(kInfoAttributeNames, node);
  if (!node || !node->is_scalar())
    row.report("`attr` is missing: a name such as REGCOUNT, or a number");
  else if (!code)
    complaints.add(*node, fmt::format("'{}' is no nv.info attribute; `cubin dump --info` shows the "
                                      "names, a number up to 0xff is taken as well",
                                      node->text));
  return code.value_or(0);
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

std::optional<Node> describe_info(ByteSpan bytes, const RecordNames &names) {
  const InfoSection section = decode_info(bytes);
  return rows_of(section.records, section.rest, [&](const InfoRecord &record) {
    return describe_info_record(record, names.symbols);
  });
}

void append_info_record(std::vector<u8> &out, const Node &record, const NameIndex &symbols,
                        Complaints &complaints) {
  const MapReader row(record, kRecordKeys, complaints);
  InfoRecord result;
  result.attribute = static_cast<InfoAttribute>(read_attribute(row, complaints));
  const InfoRow *known = info_row(result.attribute);
  result.format = read_format(row, known, complaints);
  std::vector<u8> payload;
  if (!result.sized()) {
    result.value = static_cast<u16>(row.number("value", 0, 0xffff));
  } else if (const Node *hex = row.find("hex")) {
    payload = read_data(*hex, complaints);
  } else {
    RowReader io{row, symbols, complaints, " (or give the payload as `hex`)",
                 known ? known->shape : InfoShape::Opaque};
    InfoValue value = empty_value(result);
    std::visit([&](auto &v) { fields(io, v); }, value);
    payload = encode_payload(value);
  }
  if (payload.size() > 0xffff) {
    row.report(
        fmt::format("the payload has {} bytes; a record holds at most 65535", payload.size()));
    payload.clear();
  }
  result.payload = payload;
  append_record(out, result);
}

} // namespace

std::vector<u8> assemble_info(const Node &content, const NameIndex &symbols,
                              Complaints &complaints) {
  std::vector<u8> out;
  for (const Node &record : read_list(content, complaints))
    append_info_record(out, record, symbols, complaints);
  return out;
}

namespace {

std::vector<u8> assemble_attributes(const Node &content, const RecordNames &names,
                                    Complaints &complaints) {
  return assemble_info(content, names.symbols, complaints);
}

// ---- Notes --------------------------------------------------------------------------------------

// ELF notes as text and back. The two kinds of NVIDIA's tools have fields; other notes, and those
// with an unknown layout, are written as type, owner and bytes.

Node describe_toolkit_info(const ToolkitInfo &info) {
  Node out = Node::map();
  RowWriter io{out, NameIndex()};
  io.number("version", info.version, unless(ToolkitInfo{}.version, FieldForm::Decimal));
  for (const ToolkitText &row : kToolkitTexts)
    if (const std::string_view text = info.*row.text; !text.empty())
      out.set(row.key, name_node(text));
  return out;
}

std::vector<u8> assemble_toolkit_info(const Node &node, Complaints &complaints) {
  std::vector<std::string_view> keys = {"version"};
  for (const ToolkitText &row : kToolkitTexts)
    keys.push_back(row.key);
  const MapReader map(node, keys, complaints);
  ToolkitInfo info;
  info.version = static_cast<u32>(map.number("version", info.version, kMaxWord));
  std::array<std::string, kToolkitTexts.size()> texts;
  for (std::size_t i = 0; i < texts.size(); ++i)
    info.*kToolkitTexts[i].text = texts[i] = map.name(kToolkitTexts[i].key);
  return encode_toolkit_info(info);
}

Node describe_note(const Note &note) {
  const bool ours = note.name == kNoteOwner;
  const Result<ToolkitInfo> toolkit = decode_toolkit_info(note.desc);
  const Result<CudaInfo> cuda = decode_cuda_info(note.desc);
  Node out = Node::map();
  if (ours && note.type == kNoteToolkitInfo && toolkit) {
    out.set("tkinfo", describe_toolkit_info(*toolkit));
  } else if (ours && note.type == kNoteCudaInfo && cuda && !cuda->words) {
    out.set("cuinfo", row_of(*cuda));
  } else {
    Node fields = Node::map(Node::Style::Flow);
    fields.set("type", decimal(note.type));
    fields.set("owner", hex_string(as_bytes(note.name)));
    fields.set("hex", hex_string(note.desc));
    out.set("note", std::move(fields));
  }
  return out;
}

void append_plain_note(std::vector<u8> &out, const Node &node, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"type", "owner", "hex"};
  const MapReader fields(node, kKeys, complaints);
  std::vector<u8> owner, desc;
  if (const Node *item = fields.find("owner"))
    owner = read_data(*item, complaints);
  if (const Node *item = fields.find("hex"))
    desc = read_data(*item, complaints);
  append_note(out, {static_cast<u32>(fields.number("type", 0, kMaxWord)), as_text(owner), desc});
}

std::optional<Node> describe_notes(ByteSpan bytes, const RecordNames &) {
  const NoteSection section = decode_notes(bytes);
  return rows_of(section.notes, section.rest, describe_note);
}

std::vector<u8> assemble_notes(const Node &content, const RecordNames &, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"tkinfo", "cuinfo", "note"};
  std::vector<u8> out;
  for (const Node &item : read_list(content, complaints)) {
    const MapReader map(item, kKeys, complaints);
    if (const Node *node = map.find("tkinfo"))
      append_note(out, {kNoteToolkitInfo, kNoteOwner, assemble_toolkit_info(*node, complaints)});
    if (const Node *node = map.find("cuinfo"))
      append_note(out, {kNoteCudaInfo, kNoteOwner,
                        encode_cuda_info(read_row<CudaInfo>(*node, complaints))});
    if (const Node *node = map.find("note"))
      append_plain_note(out, *node, complaints);
  }
  return out;
}

// ---- Which records a section has ----------------------------------------------------------------

struct RecordKind {
  std::string_view key;
  std::array<SectionRole, 4> roles; // unused ones are Unknown
  std::optional<Node> (*describe)(ByteSpan bytes, const RecordNames &names);
  std::vector<u8> (*assemble)(const Node &content, const RecordNames &names,
                              Complaints &complaints);
};
constexpr std::array<RecordKind, 7> kRecordKinds{{
    {"attributes", {SectionRole::Info}, describe_info, assemble_attributes},
    {"callgraph", {SectionRole::Callgraph}, describe_callgraph, assemble_callgraph},
    {"prototypes", {SectionRole::Prototype}, describe_prototypes, assemble_prototypes},
    {"compat", {SectionRole::Compat}, describe_compat, assemble_compat},
    {"notes",
     {SectionRole::NoteTkinfo, SectionRole::NoteCuinfo, SectionRole::NoteCuver, SectionRole::Note},
     describe_notes,
     assemble_notes},
    {"rel_actions", {SectionRole::RelAction}, describe_actions, assemble_actions},
    {"unified", {SectionRole::UftEntry, SectionRole::UdtEntry}, describe_unified, assemble_unified},
}};

const RecordKind *record_kind(std::string_view key) {
  const auto *found = std::ranges::find(kRecordKinds, key, &RecordKind::key);
  return found == kRecordKinds.end() ? nullptr : found;
}

} // namespace

std::string_view record_key(SectionRole role) {
  for (const RecordKind &kind : kRecordKinds)
    if (role != SectionRole::Unknown && std::ranges::count(kind.roles, role) != 0)
      return kind.key;
  return {};
}

bool is_record_key(std::string_view key) {
  return record_kind(key) != nullptr;
}

std::optional<Node> describe_records(SectionRole role, ByteSpan bytes, const RecordNames &names) {
  const RecordKind *kind = record_kind(record_key(role));
  return kind ? kind->describe(bytes, names) : std::nullopt;
}

std::vector<u8> assemble_records(const Node &content, const RecordNames &names,
                                 Complaints &complaints) {
  return record_kind(content.key)->assemble(content, names, complaints);
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
    for (const Node &item : content.items)
      if (const auto part = part_of(item.key); part && second_is_prototype(*part))
        from_pairs(item);
}

// ---- Symbols and relocations --------------------------------------------------------------------

// Rows of symbol and relocation tables. A symbol's section is a reference, which determines
// st_shndx and the extended index. Values that a reference cannot express (SHN_ABS, the index of a
// missing section) are written as `shndx`, as stored.

namespace {

constexpr std::array<std::string_view, 9> kSymbolKeys = {
    "name", "name_at", "type", "bind", "section", "shndx", "value", "size", "other"};
constexpr std::array<std::string_view, 4> kRelocationKeys = {"at", "type", "to", "add"};

// True if `section` determines st_shndx.
bool section_is_reference(const Symbol &symbol, const NameIndex &sections) {
  if (!symbol.in_section() || symbol.section >= sections.size())
    return false;
  return (symbol.raw_section == kSectionXindex) == (symbol.section >= kSectionLoReserve);
}

// Returns the default name of a row without `name` and `name_at`.
std::string_view implied_name(const Symbol &symbol, const NameIndex &sections) {
  if (symbol.type() != SymbolType::Section || !symbol.in_section())
    return {};
  return sections.name(symbol.section);
}

SymbolBinding default_binding(SymbolType type) {
  return type == SymbolType::Section ? SymbolBinding::Local : SymbolBinding::Global;
}

} // namespace

std::string_view symbol_name(const Symbol &symbol, const StringPlaces &strings) {
  const bool found = symbol.name_offset != 0 && !symbol.name.empty() &&
                     strings.find(symbol.name) == symbol.name_offset;
  return found ? symbol.name : std::string_view();
}

Node describe_symbol(const Symbol &symbol, std::string_view name, const NameIndex &sections) {
  const bool in_section = section_is_reference(symbol, sections);
  Node out = Node::map(Node::Style::Flow);
  RowWriter io{out, sections};
  if (name.empty() && symbol.name_offset != 0)
    io.number("name_at", symbol.name_offset, {});
  else if (name != (in_section ? implied_name(symbol, sections) : std::string_view()))
    io.text("name", name);
  io.word("type", Words::SymbolType, symbol.type(), SymbolType::NoType);
  io.word("bind", Words::SymbolBinding, symbol.binding(), default_binding(symbol.type()));
  if (in_section)
    io.symbol("section", symbol.section);
  else
    io.number("shndx", symbol.raw_section, unless(kSectionUndefined));
  io.number("value", symbol.value, unless(0));
  io.number("size", symbol.size, unless(0));
  io.word("other", Words::SymbolOther, symbol.other, u8{0});
  return out;
}

SymbolRow read_symbol(const Node &node, const NameIndex &sections, Complaints &complaints) {
  const MapReader row(node, kSymbolKeys, complaints);
  SymbolRow out;
  Symbol &symbol = out.symbol;
  RowReader io{row, sections, complaints};
  SymbolType type{};
  SymbolBinding binding{};
  io.word("type", Words::SymbolType, type, SymbolType::NoType);
  io.word("bind", Words::SymbolBinding, binding, default_binding(type));
  symbol.info = static_cast<u8>(static_cast<u32>(binding) << 4 | static_cast<u32>(type));
  io.word("other", Words::SymbolOther, symbol.other, u8{0});
  io.number("value", symbol.value, unless(0));
  io.number("size", symbol.size, unless(0));
  if (const Node *item = row.find("section")) {
    symbol.section = sections.resolve(*item, complaints);
    symbol.raw_section =
        static_cast<u16>(symbol.section >= kSectionLoReserve ? kSectionXindex : symbol.section);
  } else {
    io.number("shndx", symbol.raw_section, unless(kSectionUndefined));
    symbol.section = symbol.raw_section;
  }
  if (row.has("name_at")) {
    io.number("name_at", symbol.name_offset, unless(0));
    out.has_offset = true;
  } else if (row.has("name")) {
    out.name = row.name("name");
  } else if (row.has("section")) {
    out.name = implied_name(symbol, sections);
  }
  return out;
}

Node describe_relocation(const Relocation &relocation, bool has_addend, const NameIndex &symbols) {
  Node out = Node::map(Node::Style::Flow);
  RowWriter io{out, symbols};
  io.number("at", relocation.offset, {});
  out.set("type", words_of(Words::RelocationType, relocation.type));
  io.reference("to", relocation.symbol, 0);
  if (has_addend && relocation.addend != 0)
    out.set("add", signed_hexadecimal(relocation.addend));
  return out;
}

Relocation read_relocation(const Node &node, bool has_addend, const NameIndex &symbols,
                           Complaints &complaints) {
  const MapReader row(node, kRelocationKeys, complaints);
  Relocation out;
  RowReader io{row, symbols, complaints};
  io.number("at", out.offset, unless(0));
  read_words(Words::RelocationType, row.find("type"), out.type, complaints);
  if (!row.has("type"))
    row.report("`type` is missing: a name such as R_CUDA_ABS32_LO_32, or a number");
  io.reference("to", out.symbol, 0);
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
