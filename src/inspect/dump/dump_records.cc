// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call graph, prototypes, notes and compatibility attributes. All four are short lists of fixed
// records; a descriptor that cannot be read is shown as bytes, beside the warning.
#include <array>
#include <string>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_notes.h"
#include "inspect/dump/sink_fields.h"
#include "support/bytes.h"

namespace culink::text {

namespace {

// Prototypes are offsets in the string table of the symbol table.
ByteSpan strings_for(const elf::ElfView &file, const elf::Section &user) {
  const elf::Section &table = file.sections()[user.link];
  if (!elf::is_symbol_table(table.type))
    return {};
  return file.sections()[table.link].data;
}

struct PartName {
  elf::CallPart part;
  std::string_view key;
  std::string_view title;
  std::string_view first;
  std::string_view second;
};

constexpr std::array<PartName, 5> kParts{
    {{elf::CallPart::Unmarked, "unmarked", "before any part", "first", "second"},
     {elf::CallPart::Calls, "calls", "calls", "caller", "callee"},
     {elf::CallPart::AddressTaken, "address_taken", "functions whose address is taken", "function",
      "prototype"},
     {elf::CallPart::IndirectCalls, "indirect_calls", "indirect calls", "caller", "prototype"},
     {elf::CallPart::IndirectTargets, "indirect_targets",
      "functions made callable through addresses", "caller", "callee"}}};

void put_part(Sink &sink, const PartName &part, const elf::CallGraph &graph,
              const SymbolNames &names, ByteSpan strings) {
  const std::vector<elf::CallPair> pairs = graph.pairs(part.part);
  if (pairs.empty() && part.part == elf::CallPart::Unmarked)
    return;
  sink.list(part.key, part.title, pairs, [&](const elf::CallPair &pair) {
    const std::string first = names(pair.first);
    const bool prototype = elf::second_is_prototype(part.part);
    const std::string second = prototype
                                   ? std::string(c_string_at(strings, pair.second).value_or(""))
                                   : names(pair.second);
    sink.put(part.first, label(pair.first, first));
    sink.put(part.second, label(pair.second, second));
  });
}

// ---- Notes --------------------------------------------------------------------------------------

void put_toolkit_info(const DumpContext &context, const elf::Section &section,
                      const elf::Note &note) {
  const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
  if (!info) {
    context.sink.bytes({"bytes", ""}, note.desc);
    context.warn({elf::describe_section(section), info.error().field, info.error().message});
    return;
  }
  context.sink.put("version", number(info->version));
  const std::array<std::pair<std::string_view, std::string_view>, 5> strings{
      {{"object", info->object},
       {"tool", info->tool},
       {"tool_version", info->tool_version},
       {"build", info->build},
       {"options", info->options}}};
  for (const auto &[key, value] : strings) {
    context.sink.continue_row();
    context.sink.field({key, ""}, name(value));
  }
}

void put_cuda_info(const DumpContext &context, const elf::Section &section, const elf::Note &note) {
  Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc);
  if (!info) {
    context.sink.bytes({"bytes", ""}, note.desc);
    context.warn({elf::describe_section(section), info.error().field, info.error().message});
    return;
  }
  FieldPrinter printer{context.sink};
  if (!info->words)
    return fields(printer, *info);
  context.sink.put("version", number(info->version));
  context.sink.put("virtual_arch", number(info->virtual_arch));
  context.sink.bytes({"bytes", ""}, note.desc.subspan(4));
}

void put_note(const DumpContext &context, const elf::Section &section, const elf::Note &note) {
  context.sink.field({"owner", "owner"}, name(note.owner()));
  context.sink.put("type", number(note.type));
  if (note.type == elf::kNoteToolkitInfo && note.name == elf::kNoteOwner)
    put_toolkit_info(context, section, note);
  else if (note.type == elf::kNoteCudaInfo && note.name == elf::kNoteOwner)
    put_cuda_info(context, section, note);
  else
    context.sink.bytes({"bytes", ""}, note.desc);
}

} // namespace

void put_callgraph(const DumpContext &context, const elf::Section &section) {
  const elf::CallGraph graph = elf::decode_call_graph(section.data);
  const SymbolNames names(context, section);
  for (const PartName &part : kParts)
    put_part(context.sink, part, graph, names, strings_for(context.file, section));
  warn_violations(context, section, graph.violations);
}

void put_prototypes(const DumpContext &context, const elf::Section &section) {
  const elf::PrototypeSection prototypes = elf::decode_prototypes(section.data);
  const SymbolNames names(context, section);
  const ByteSpan strings = strings_for(context.file, section);
  context.sink.list("records", "", prototypes.records, [&](const elf::Prototype &record) {
    const std::string function = names(record.symbol);
    context.sink.put("function", label(record.symbol, function));
    context.sink.put("prototype",
                     label(record.string, c_string_at(strings, record.string).value_or("")));
  });
  warn_violations(context, section, prototypes.violations);
}

void put_notes(const DumpContext &context, const elf::Section &section) {
  const elf::NoteSection notes = elf::decode_notes(section.data);
  context.sink.list("notes", "", notes.notes,
                    [&](const elf::Note &note) { put_note(context, section, note); });
  warn_violations(context, section, notes.violations);
}

void put_compat(const DumpContext &context, const elf::Section &section) {
  const elf::CompatSection compat = elf::decode_compat(section.data);
  context.sink.list("records", "", compat.records, [&](const elf::CompatRecord &record) {
    const auto code = static_cast<u8>(record.attribute);
    const auto format = static_cast<u8>(record.format);
    context.sink.field({"attribute", "attribute", -47},
                       label(code, elf::kCompatAttributeNames.name_of(code).value_or("")));
    context.sink.field({"format", "format", -10},
                       label(format, elf::kInfoFormatNames.name_of(format).value_or("")));
    if (const std::optional<u64> value = elf::compat_number(record))
      context.sink.put("value", hex(*value));
    else
      context.sink.bytes({"bytes", ""}, record.payload);
    if (const std::optional<elf::Violation> violation = elf::check_compat_record(record))
      warn_violations(context, section, {*violation});
  });
  warn_violations(context, section, compat.violations);
}

} // namespace culink::text
