// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file's dump: its parts in a fixed order. Each part reads the file again, which costs little,
// because the view decodes on demand; so a part can be asked for alone.
#include "inspect/dump/dump.h"

#include <array>
#include <utility>

#include "elf/section_kind.h"
#include "inspect/dump/dump_parts.h"

namespace culink::text {

namespace {

template <elf::SectionType... types> bool has_type(const elf::Section &section) {
  return ((section.type == types) || ...);
}
template <elf::SectionRole role> bool has_role(const elf::Section &section) {
  return elf::classify_section(section.name, section.type, section.flags).role == role;
}
bool has_symbols(const elf::Section &section) {
  return elf::is_symbol_table(section.type);
}
bool has_relocations(const elf::Section &section) {
  return elf::is_relocation_table(section.type);
}

// A list of the sections of one kind.
struct SectionList {
  bool DumpOptions::*wanted;
  std::string_view key;
  std::string_view title;
  bool (*takes)(const elf::Section &section);
  PutSection *put;
};

using Type = elf::SectionType;
using Role = elf::SectionRole;

constexpr std::array<SectionList, 14> kLists{{
    {&DumpOptions::symbols, "symbol_tables", "Symbols", has_symbols, put_symbols},
    {&DumpOptions::relocations, "relocations", "Relocations", has_relocations, put_relocations},
    {&DumpOptions::info, "info", "Attributes (.nv.info)",
     has_type<Type::CudaInfo, Type::MercuryInfo>, put_info},
    {&DumpOptions::callgraph, "callgraph", "Call graph",
     has_type<Type::CudaCallgraph, Type::MercuryCallgraph>, put_callgraph},
    {&DumpOptions::callgraph, "prototypes", "Prototypes",
     has_type<Type::CudaPrototype, Type::MercuryPrototype>, put_prototypes},
    {&DumpOptions::notes, "notes", "Notes", has_type<Type::Note>, put_notes},
    {&DumpOptions::notes, "compat", "Compatibility attributes", has_type<Type::CudaCompat>,
     put_compat},
    {&DumpOptions::records, "relocation_actions", "Relocation actions", has_role<Role::RelAction>,
     put_relocation_actions},
    {&DumpOptions::records, "metadata", "Metadata", has_role<Role::Metadata>, put_metadata},
    {&DumpOptions::records, "unified_functions", "Unified functions", has_role<Role::UftEntry>,
     put_unified_entries},
    {&DumpOptions::records, "unified_data", "Unified data", has_role<Role::UdtEntry>,
     put_unified_entries},
    {&DumpOptions::records, "capsules", "Mercury capsules", has_role<Role::CapmercText>,
     put_capsule},
    {&DumpOptions::records, "host_references", "Host references", has_role<Role::HostReferences>,
     put_names},
    {&DumpOptions::records, "module_ids", "Module ids", has_role<Role::ModuleId>, put_names},
}};

void put_row(const DumpContext &context, const elf::Section &section, PutSection *put) {
  context.sink.open_row();
  put_section(context.sink, section);
  put(context, section);
  context.sink.close_row();
}

// Few files have more than two of the rarer kinds: one that does not occur is left out rather than
// shown as empty.
void dump_list(const DumpContext &context, const SectionList &list) {
  bool open = list.wanted != &DumpOptions::records;
  if (open)
    context.sink.open_list(list.key, list.title);
  for (const elf::Section &section : context.file.sections()) {
    if (!list.takes(section))
      continue;
    if (!std::exchange(open, true))
      context.sink.open_list(list.key, list.title);
    put_row(context, section, list.put);
  }
  if (open)
    context.sink.close_list();
}

// Section names need not be unique; all of that name are shown.
void dump_hex(const DumpContext &context) {
  context.sink.open_list("hex", "Contents");
  for (const std::string &wanted : context.options.hex) {
    bool found = false;
    for (const elf::Section &section : context.file.sections())
      if (section.index != 0 && section.name == wanted) {
        found = true;
        put_row(context, section, put_hex);
      }
    if (!found)
      context.warn({wanted, "", "no such section"});
  }
  context.sink.close_list();
}

} // namespace

void dump_file(std::string_view file_name, const elf::ElfView &file, const DumpOptions &options,
               Sink &sink, const WarningSink &warn) {
  for (const Error &violation : file.violations())
    warn(violation);
  const DumpContext context{file, options, sink, warn};
  sink.begin_file(file_name);
  if (options.header)
    dump_header(context);
  if (options.sections)
    dump_sections(context);
  if (options.segments)
    dump_segments(context);
  for (const SectionList &list : kLists)
    if (options.*list.wanted)
      dump_list(context, list);
  if (options.records)
    dump_shared_bytes(context);
  if (!options.hex.empty())
    dump_hex(context);
  sink.end_file();
}

} // namespace culink::text
