// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF notes as text and back. The two kinds that NVIDIA's tools write have fields; any other note,
// and one of theirs whose descriptor has another layout, is its type, owner and bytes.
#include <array>

#include "elf/records/nv_notes.h"
#include "support/bytes.h"
#include "yaml/document_fields.h"
#include "yaml/records.h"

namespace culink::text {

using namespace elf;

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

} // namespace culink::text
