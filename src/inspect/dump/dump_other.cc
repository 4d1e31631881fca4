// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other sections whose layout is known: relocation actions, metadata, unified tables, Mercury
// capsules, and the name lists of host objects. Few files have more than two of these kinds, so a
// kind that does not occur is left out rather than shown as empty.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_host_refs.h"
#include "elf/records/nv_metadata.h"
#include "elf/records/nv_rel_action.h"
#include "elf/section_kind.h"
#include "inspect/dump/sink_fields.h"

namespace culink::text {

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
