// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dump of one file, and the parts of it that every ELF file has.
#include "inspect/dump/dump.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/section_kind.h"
#include "elf/target/elf_flags.h"
#include "elf/target/reloc.h"
#include "inspect/dump/dump_parts.h"
#include "support/demangle.h"

namespace culink::text {

// How sections, symbols and numbers are called in a dump. Section symbols often have no name of
// their own; they go by that of their section.

namespace {

elf::SymbolTable table_of(const elf::ElfView &file, const elf::Section &user) {
  elf::SymbolTable linked = file.linked_symbols(user);
  return linked.empty() ? file.symbols() : linked;
}

} // namespace

SymbolNames::SymbolNames(const DumpContext &context, const elf::Section &user)
    : SymbolNames(context.file, table_of(context.file, user), context.options.demangle) {}

SymbolNames::SymbolNames(const elf::ElfView &file, const elf::SymbolTable &table, bool demangle)
    : file_(file), table_(table), demangle_(demangle) {}

std::string SymbolNames::operator()(u32 index) const {
  return index == 0 || index >= table_.size() ? std::string() : of(table_[index]);
}

std::string SymbolNames::of(const elf::Symbol &symbol) const {
  if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return std::string(file_.sections()[symbol.section].name);
  return shown_name(symbol.name, demangle_ ? demangle : nullptr);
}

std::string_view relocation_name(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? row->name : std::string_view();
}

void put_section(Sink &sink, const elf::Section &section) {
  sink.field({"name", "name"}, name(section.name));
  sink.put("section", number(section.index));
}

void warn_violations(const DumpContext &context, const elf::Section &section,
                     const std::vector<elf::Violation> &violations) {
  for (const elf::Violation &violation : violations)
    context.warn({elf::describe_section(section), fmt::format("offset {:#x}", violation.offset),
                  violation.message});
}

// The file header, with what the ABI bytes and e_flags say about the target.

namespace {

std::string_view code_kind_name(u8 kind) {
  switch (static_cast<arch::CodeKind>(kind)) {
  case arch::CodeKind::Capmerc:
    return "capmerc";
  case arch::CodeKind::Sass:
    return "sass";
  }
  return "";
}

void put_target(const elf::ElfView &file, Sink &sink) {
  const arch::FileTarget target = arch::target_of(file);
  sink.field({"target", "target"}, name(target.name));
  sink.field({"sm", "sm"}, number(target.flags.sm));
  if (target.flags.old_layout()) {
    sink.field({"virtual_sm", "virtual sm"}, number(target.flags.virtual_sm));
    sink.field({"address_64", "64-bit addresses"}, flag(target.flags.address_64));
    sink.field({"texture_unified", "unified textures"}, flag(target.flags.texture_unified));
    sink.field({"texture_independent", "own textures"}, flag(target.flags.texture_independent));
  } else {
    sink.field({"code_kind", "code kind"},
               label(target.flags.code_kind, code_kind_name(target.flags.code_kind)));
    sink.field({"cuinfo_section", "cuinfo section"}, number(target.flags.cuinfo_section));
  }
  if (target.flags.other != 0)
    sink.field({"flags_other", "other flags"}, hex(target.flags.other));
}

} // namespace

void dump_header(const DumpContext &context) {
  const elf::FileHeader &header = context.file.header();
  Sink &sink = context.sink;
  sink.open_record("header", "Header");
  sink.field({"class", "class"}, number(header.elf_class() == elf::ElfClass::Elf64 ? 64 : 32));
  sink.field({"type", "type"}, label(static_cast<u16>(header.type),
                                     elf::kFileTypeNames.name_of(header.type).value_or("")));
  sink.field({"machine", "machine"}, label(header.machine, header.is_cuda() ? "CUDA" : ""));
  sink.field({"osabi", "OS ABI"}, hex(header.ident[elf::kIdentOsAbi]));
  sink.field({"abi_version", "ABI version"}, number(header.ident[elf::kIdentAbiVersion]));
  sink.field({"flags", "flags"}, hex(header.flags));
  if (header.is_cuda())
    put_target(context.file, sink);
  sink.field({"version", "version"}, number(header.version));
  sink.field({"entry", "entry"}, hex(header.entry));
  sink.field({"section_offset", "section headers"}, hex(header.shoff));
  sink.field({"section_count", "sections"}, number(header.section_count));
  sink.field({"section_names", "section names"}, number(header.name_section));
  sink.field({"segment_offset", "program headers"}, hex(header.phoff));
  sink.field({"segment_count", "segments"}, number(header.phnum));
  sink.field({"file_size", "file size"}, number(context.file.file().size()));
  sink.close_record();
}

// The tables every ELF file has: sections, segments, symbols, relocations. Rows go out as they are
// met; nothing is collected first, so listing a large file costs its tables and no more.

namespace {

std::string_view type_name(elf::SectionType type) {
  return elf::kSectionTypeNames.name_of(type).value_or("");
}

// ---- Segments -----------------------------------------------------------------------------------

// Sections by file offset, to find those inside a range.
std::vector<const elf::Section *> sections_by_offset(const elf::ElfView &file) {
  std::vector<const elf::Section *> sorted;
  for (const elf::Section &section : file.sections())
    if (section.index != 0 && section.size != 0)
      sorted.push_back(&section);
  std::ranges::stable_sort(sorted, {}, &elf::Section::offset);
  return sorted;
}

// Whether the segment holds the section: its bytes, or, for a section without bytes, its place in
// the memory that follows them. Addresses say nothing here: they are all 0.
bool holds(const elf::Segment &segment, const elf::Section &section) {
  const u64 start = section.offset - segment.offset;
  if (section.no_data())
    return start <= segment.filesz && segment.memsz > segment.filesz &&
           (section.flags & elf::kFlagAlloc) != 0;
  return start <= segment.filesz && segment.filesz - start >= section.size;
}

// A damaged file can name 65,535 segments that each cover 100,000 sections. A whole file's worth of
// sections has been looked at a few times over in any file that makes sense.
class CoverageBudget {
public:
  explicit CoverageBudget(size_t sections) : left_(16 * u64{sections} + 1024) {}
  [[nodiscard]] bool spend() { return left_ != 0 && left_-- != 0; }

private:
  u64 left_;
};

std::vector<Value> covered_sections(const elf::Segment &segment,
                                    const std::vector<const elf::Section *> &sorted,
                                    CoverageBudget &budget, bool &complete) {
  std::vector<Value> covered;
  if (segment.type != elf::SegmentType::Load)
    return covered;
  auto at = std::ranges::lower_bound(sorted, segment.offset, {}, &elf::Section::offset);
  for (; at != sorted.end() && (*at)->offset - segment.offset <= segment.filesz; ++at) {
    if (!budget.spend()) {
      complete = false;
      break;
    }
    if (holds(segment, **at))
      covered.push_back(label((*at)->index, (*at)->name));
  }
  return covered;
}

std::string segment_flags(u32 flags) {
  std::string letters;
  letters += (flags & elf::kSegmentRead) != 0 ? 'R' : '-';
  letters += (flags & elf::kSegmentWrite) != 0 ? 'W' : '-';
  letters += (flags & elf::kSegmentExec) != 0 ? 'X' : '-';
  return letters;
}

// ---- Symbols ------------------------------------------------------------------------------------

constexpr std::array<Column, 8> kSymbolColumns{{{"index", "index", 5},
                                                {"value", "value", 8},
                                                {"size", "size", 8},
                                                {"type", "type", -12},
                                                {"binding", "bind", -6},
                                                {"other", "other", -14},
                                                {"section", "section", 7},
                                                {"name", "name"}}};

// Memory spaces of data symbols, in bits 4 to 7 of st_other.
constexpr u8 kSpaceMask = 0xf0;
constexpr std::array<elf::NamedNumber, 5> kSpaceNames{{{0x20, "global"},
                                                       {0x30, "unified-global"},
                                                       {0x40, "shared"},
                                                       {0x80, "constant"},
                                                       {0xa0, "reserved-shared"}}};

// st_other in words: kernel or memory space, managed, visibility; bits without a word as a number.
std::string describe_other(const elf::Symbol &symbol) {
  std::string words;
  const auto add = [&](std::string_view word) {
    if (!words.empty())
      words += ',';
    words += word;
  };
  u8 unknown = symbol.other;
  const auto take = [&](u8 bits, std::string_view word) {
    if (bits == 0 || word.empty() || (symbol.other & bits) != bits)
      return;
    add(word);
    unknown &= static_cast<u8>(~bits);
  };
  if (symbol.type() == elf::SymbolType::Function)
    take(elf::kOtherKernel, "kernel");
  else
    take(symbol.other & kSpaceMask,
         elf::find_name(kSpaceNames, symbol.other & kSpaceMask).value_or(""));
  take(elf::kOtherManaged, "managed");
  const u8 visibility = symbol.other & elf::kOtherVisibilityMask;
  take(visibility, elf::kSymbolVisibilityNames.name_of(visibility).value_or(""));
  if (unknown != 0)
    add(fmt::format("{:#x}", unknown));
  return words.empty() ? "-" : words;
}

std::string_view section_of(const elf::ElfView &file, const elf::Symbol &symbol) {
  if (symbol.in_section())
    return file.sections()[symbol.section].name;
  if (symbol.section == elf::kSectionUndefined)
    return "UND";
  return symbol.section == elf::kSectionAbsolute ? "ABS"
         : symbol.section == elf::kSectionCommon ? "COMMON"
                                                 : "";
}

void put_symbol(const DumpContext &context, const SymbolNames &names, u32 index) {
  const elf::Symbol symbol = names.table()[index];
  const std::string other = describe_other(symbol);
  const std::string shown = names.of(symbol);
  const std::string_view section = section_of(context.file, symbol);
  const bool indexed = symbol.in_section() || section.empty();
  context.sink.row(kSymbolColumns,
                   {number(index), hex(symbol.value), hex(symbol.size),
                    label(static_cast<u8>(symbol.type()),
                          elf::kSymbolTypeNames.name_of(symbol.type()).value_or("")),
                    label(static_cast<u8>(symbol.binding()),
                          elf::kSymbolBindingNames.name_of(symbol.binding()).value_or("")),
                    label(symbol.other, other),
                    indexed ? reference(symbol.section, section) : label(symbol.section, section),
                    name(shown)});
}

} // namespace

void dump_sections(const DumpContext &context) {
  std::array<Column, 11> columns{{{"index", "index", 5},
                                  {"offset", "offset", 9},
                                  {"size", "size", 9},
                                  {"address", "addr", 4},
                                  {"entsize", "ents", 4},
                                  {"align", "align", 5},
                                  {"type", "type", -16},
                                  {"flags", "flags", 9},
                                  {"link", "link", 4},
                                  {"info", "info", 4},
                                  {"name", "name"}}};
  for (const elf::Section &section : context.file.sections()) {
    const auto length = static_cast<i32>(type_name(section.type).size());
    columns[6].width = std::min(columns[6].width, -length);
    if (section.is_mercury())
      columns[7].width = 10;
  }
  context.sink.open_list("sections", "Sections", columns);
  for (const elf::Section &section : context.file.sections())
    context.sink.row(columns, {number(section.index), hex(section.offset), hex(section.size),
                               hex(section.addr), number(section.entsize), number(section.align),
                               label(static_cast<u32>(section.type), type_name(section.type)),
                               hex(section.flags), number(section.link), number(section.info),
                               name(section.name)});
  context.sink.close_list();
}

void dump_segments(const DumpContext &context) {
  static constexpr std::array<Column, 10> kColumns{{{"index", "index", 5},
                                                    {"type", "type", -5},
                                                    {"flags", "flags", -5},
                                                    {"offset", "offset", 9},
                                                    {"filesz", "filesz", 9},
                                                    {"memsz", "memsz", 9},
                                                    {"vaddr", "vaddr", 5},
                                                    {"paddr", "paddr", 5},
                                                    {"align", "align", 5},
                                                    {"sections", ""}}};
  const std::vector<const elf::Section *> sorted = sections_by_offset(context.file);
  CoverageBudget budget(sorted.size());
  bool complete = true;
  u64 index = 0;
  context.sink.open_list("segments", "Segments", kColumns);
  for (const elf::Segment &segment : context.file.segments()) {
    const std::string flags = segment_flags(segment.flags);
    context.sink.open_row();
    context.sink.cells(kColumns, {number(index++),
                                  label(static_cast<u32>(segment.type),
                                        elf::kSegmentTypeNames.name_of(segment.type).value_or("")),
                                  label(segment.flags, flags), hex(segment.offset),
                                  hex(segment.filesz), hex(segment.memsz), hex(segment.vaddr),
                                  hex(segment.paddr), number(segment.align)});
    const std::vector<Value> covered = covered_sections(segment, sorted, budget, complete);
    if (!covered.empty())
      context.sink.continue_row();
    context.sink.values({"sections", covered.empty() ? "sections" : ""}, covered, true);
    context.sink.close_row();
  }
  context.sink.close_list();
  if (!complete)
    context.warn({"program headers", "", "segments overlap too often to list all their sections"});
}

void put_symbols(const DumpContext &context, const elf::Section &section) {
  const SymbolNames names(context.file, context.file.symbols(section), context.options.demangle);
  context.sink.put("count", number(names.table().size()));
  context.sink.put("first_global", number(section.info));
  context.sink.open_list("symbols", "", kSymbolColumns);
  for (u32 i = 0; i < names.table().size(); ++i)
    put_symbol(context, names, i);
  context.sink.close_list();
}

void put_relocations(const DumpContext &context, const elf::Section &section) {
  static constexpr std::array<Column, 4> kColumns{{{"offset", "offset", 8},
                                                   {"type", "type", -28},
                                                   {"addend", "addend", 8},
                                                   {"symbol", "symbol"}}};
  static constexpr std::array<Column, 3> kWithoutAddend{kColumns[0], kColumns[1], kColumns[3]};
  const elf::RelocationTable table = context.file.relocations(section);
  const SymbolNames names(context.file, context.file.linked_symbols(section),
                          context.options.demangle);
  const elf::Section *target = context.file.info_section(section);
  context.sink.put("target", label(section.info, target ? target->name : ""));
  context.sink.put("count", number(table.size()));
  context.sink.open_list("entries", "",
                         table.has_addends() ? std::span<const Column>(kColumns) : kWithoutAddend);
  for (u32 i = 0; i < table.size(); ++i) {
    const elf::Relocation relocation = table[i];
    const std::string symbol = names(relocation.symbol);
    const Value type = label(relocation.type, relocation_name(relocation.type));
    if (table.has_addends())
      context.sink.row(kColumns, {hex(relocation.offset), type, signed_hex(relocation.addend),
                                  label(relocation.symbol, symbol)});
    else
      context.sink.row(kWithoutAddend,
                       {hex(relocation.offset), type, label(relocation.symbol, symbol)});
  }
  context.sink.close_list();
}

// One file's dump: its parts in a fixed order. Each part reads the file again, which costs little,
// because the view decodes on demand; so a part can be asked for alone.

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
