// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose records have a known layout. What does not fit its layout is shown as the bytes it
// is.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "elf/names.h"
#include "elf/records/fields.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_host_refs.h"
#include "elf/records/nv_metadata.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/section_kind.h"
#include "inspect/dump/dump_parts.h"
#include "support/bytes.h"

namespace culink::text {

namespace {

// The fields of elf/records/fields.h, told to a sink.
struct FieldPrinter {
  static constexpr bool kDocument = false;
  Sink &sink;
  const SymbolNames *names = nullptr; // of records that have symbols
  elf::InfoShape shape = elf::InfoShape::Opaque;
  bool masks = false; // values are bits, which decimal digits would hide

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    const bool decimal = rule.form == elf::FieldForm::Decimal ||
                         rule.form == elf::FieldForm::Size ||
                         (rule.form == elf::FieldForm::Mask && !masks);
    sink.put(key.data, decimal ? text::number(value) : hex(value));
  }
  void symbol(elf::FieldKey key, u32 index) { sink.put(key.data, label(index, (*names)(index))); }
  void flag(elf::FieldKey key, bool set, std::string_view no, std::string_view yes) {
    sink.put(key.data, label(set ? 1 : 0, set ? yes : no));
  }
  void text(elf::FieldKey key, const std::string &text) { sink.put(key.data, name(text)); }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    const bool named = rule.form == elf::FieldForm::Symbol;
    std::vector<std::string> shown;
    for (const u32 word : words)
      shown.push_back(named ? (*names)(word) : "");
    std::vector<Value> values;
    for (size_t i = 0; i < words.size(); ++i)
      values.push_back(named ? label(words[i], shown[i]) : hex(words[i]));
    sink.values({key.data, ""}, values, named);
  }
  void triple(elf::FieldKey, u32 x, u32 y, u32 z) {
    sink.put("x", text::number(x));
    sink.put("y", text::number(y));
    sink.put("z", text::number(z));
  }
  void table(const elf::InfoTable &table) {
    sink.open_list("rows", "");
    for (size_t at = 0; at < table.words.size(); at += table.columns) {
      const std::span<const u32> row =
          std::span(table.words)
              .subspan(at, std::min<size_t>(table.columns, table.words.size() - at));
      sink.open_row();
      sink.put("offset", hex(row[0]));
      numbers("words", row.subspan(1), {});
      sink.close_row();
    }
    sink.close_list();
  }
  void list(elf::FieldKey key, auto &records) {
    sink.list(key.data, "", records, [&](auto record) { fields(*this, record); });
  }
  void bytes(elf::FieldKey key, ByteSpan bytes) { sink.bytes({key.data, ""}, bytes); }
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey key, u64 value) { sink.put(key.data, text::number(value)); }
};

// .nv.info, .nv.info.<function> and their Mercury counterparts, record by record: the attribute's
// name, its format, and the value as the attribute's layout gives it meaning. A record that does
// not fit its layout is shown as the bytes it is.

constexpr Column kAttribute{"attribute", "attribute", -38};
constexpr Column kFormat{"format", "format", -10};

// Bit masks and packed versions, which decimal digits would hide.
bool shown_in_hex(elf::InfoAttribute attribute) {
  return attribute == elf::InfoAttribute::SwWar || attribute == elf::InfoAttribute::SparseMmaMask ||
         attribute == elf::InfoAttribute::MercuryIsaVersion ||
         attribute == elf::InfoAttribute::LoadCacheRequest;
}

void put_record(Sink &sink, const SymbolNames &names, const elf::InfoRecord &record) {
  const auto code = static_cast<u8>(record.attribute);
  const auto format = static_cast<u8>(record.format);
  sink.field(kAttribute, label(code, elf::kInfoAttributeNames.name_of(code).value_or("")));
  sink.field(kFormat, label(format, elf::kInfoFormatNames.name_of(format).value_or("")));
  FieldPrinter printer{sink, &names, elf::effective_shape(record), shown_in_hex(record.attribute)};
  elf::InfoValue value = elf::decode_value(record);
  std::visit([&](auto &v) { fields(printer, v); }, value);
}

} // namespace

void put_info(const DumpContext &context, const elf::Section &section) {
  const elf::InfoSection info = elf::decode_info(section.data);
  const SymbolNames names(context, section);
  if (const elf::Section *owner = context.file.info_section(section))
    context.sink.put("for", label(owner->index, owner->name));
  context.sink.list("records", "", info.records, [&](const elf::InfoRecord &record) {
    put_record(context.sink, names, record);
    if (const std::optional<elf::Violation> violation = elf::check_record(record))
      warn_violations(context, section, {*violation});
  });
  put_rest(context, section, info);
}

// Call graph, prototypes, notes and compatibility attributes. All four are short lists of fixed
// records; a descriptor that cannot be read is shown as bytes, beside the warning.

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
  for (const elf::ToolkitText &row : elf::kToolkitTexts) {
    context.sink.continue_row();
    context.sink.field({row.key, ""}, name(*info.*row.text));
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

// The other sections whose layout is known: relocation actions, metadata, unified tables, Mercury
// capsules, and the name lists of host objects. Few files have more than two of these kinds, so a
// kind that does not occur is left out rather than shown as empty.

namespace {

std::string_view value_kind_name(elf::RelocationValueKind kind) {
  switch (kind) {
  case elf::RelocationValueKind::Address:
    return "address";
  case elf::RelocationValueKind::GenericAddress:
    return "generic-address";
  case elf::RelocationValueKind::FunctionDescriptor:
    return "function-descriptor";
  case elf::RelocationValueKind::HeaderIndex:
    return "header-index";
  }
  return "";
}

} // namespace

void put_relocation_actions(const DumpContext &context, const elf::Section &section) {
  const elf::RelocationActions actions = elf::decode_relocation_actions(section.data);
  Sink &sink = context.sink;
  u32 type = actions.first_type;
  sink.put("reserved", number(actions.reserved));
  sink.list("actions", "", actions.actions, [&](const elf::RelocationAction &action) {
    sink.field({"type", "type", -24}, label(type, relocation_name(type)));
    sink.put("value", label(static_cast<u8>(action.kind), value_kind_name(action.kind)));
    sink.put("mode", number(action.mode));
    static constexpr std::array<std::array<std::string_view, 3>, 2> kKeys{
        {{"shift", "width", "position"}, {"shift2", "width2", "position2"}}};
    for (size_t i = 0; i < action.fields.size(); ++i) {
      sink.put(kKeys[i][0], number(action.fields[i].shift));
      sink.put(kKeys[i][1], number(action.fields[i].width));
      sink.put(kKeys[i][2], number(action.fields[i].position));
    }
    ++type;
  });
  put_rest(context, section, actions);
}

void put_metadata(const DumpContext &context, const elf::Section &section) {
  const elf::MetadataSection metadata = elf::decode_metadata(section.data);
  std::vector<Value> words;
  for (const u32 word : metadata.records)
    words.push_back(hex(word));
  context.sink.values({"words", ""}, words);
  put_rest(context, section, metadata);
}

void put_unified_entries(const DumpContext &context, const elf::Section &section) {
  const elf::UnifiedSection unified = elf::decode_unified_entries(section.data);
  const SymbolNames names(context, section);
  FieldPrinter printer{context.sink, &names};
  printer.list("entries", unified.records);
  put_rest(context, section, unified);
}

// The header and a count of what follows; the records are instructions.
void put_capsule(const DumpContext &context, const elf::Section &section) {
  const elf::Capsule capsule = elf::decode_capsule(section.data);
  if (!capsule.violations.empty() && context.file.find(".note.nv.cuver")) { // of toolkit 12.8
    context.sink.put("form", name("of an earlier toolkit"));
    return;
  }
  Sink &sink = context.sink;
  if (capsule.has_header) {
    const std::span<const elf::Section> sections = context.file.sections();
    const std::string_view text =
        capsule.text_section < sections.size() ? sections[capsule.text_section].name : "";
    u64 recovered = 0;
    for (u32 i = 0; i < capsule.instruction_count; ++i)
      recovered += capsule.recovered(i) ? 1 : 0;
    sink.put("text", label(capsule.text_section, text));
    sink.put("magic", hex(capsule.magic));
    sink.put("instructions", number(capsule.instruction_count));
    sink.put("recovered", number(recovered));
    sink.put("records", number(capsule.records.size()));
    sink.put("directives",
             number(static_cast<u64>(std::ranges::count(
                 capsule.records, elf::CapsuleRecordKind::Directive, &elf::CapsuleRecord::kind))));
    u64 inserted = 0, padding = 0; // machine instructions without a Mercury counterpart
    for (const elf::CapsuleRecord &record : capsule.records)
      (record.kind == elf::CapsuleRecordKind::End ? padding : inserted) += record.sass_count();
    sink.put("sass_only", number(inserted));
    sink.put("padding", number(padding));
  }
  put_rest(context, section, capsule);
}

void put_names(const DumpContext &context, const elf::Section &section) {
  const elf::NameList list = elf::decode_names(section.data);
  context.sink.list("names", "", list.names, [&](std::string_view entry) {
    context.sink.field({"name", "name"}, name(entry));
  });
  put_rest(context, section, list);
}

void put_hex(const DumpContext &context, const elf::Section &section) {
  context.sink.put("size", hex(section.size));
  context.sink.bytes({"bytes", ""}, section.data);
}

// Mercury sections that are only another header of the bytes of a section of machine code.
void dump_shared_bytes(const DumpContext &context) {
  std::vector<const elf::Section *> plain, mercury;
  for (const elf::Section &section : context.file.sections())
    if (section.size != 0 && !section.no_data())
      (section.is_mercury() ? mercury : plain).push_back(&section);
  const auto before = [](const elf::Section *a, const elf::Section *b) {
    return a->offset < b->offset;
  };
  std::stable_sort(plain.begin(), plain.end(), before);
  bool open = false;
  for (const elf::Section *counterpart : mercury) {
    const auto owner = std::lower_bound(plain.begin(), plain.end(), counterpart, before);
    if (owner == plain.end() || (*owner)->offset != counterpart->offset)
      continue;
    if (!open)
      context.sink.open_list("shared_bytes", "Bytes of two sections");
    open = true;
    context.sink.open_row();
    put_section(context.sink, *counterpart);
    context.sink.put("with", label((*owner)->index, (*owner)->name));
    context.sink.put("offset", hex(counterpart->offset));
    context.sink.put("size", hex(counterpart->size));
    context.sink.close_row();
  }
  if (open)
    context.sink.close_list();
}

} // namespace culink::text
