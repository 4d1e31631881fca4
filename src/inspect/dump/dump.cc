// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dump of one file: the parts that every ELF file has, then sections whose records have a known
// layout.
#include "inspect/dump/dump.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

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
#include "elf/target/elf_flags.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "support/demangle.h"

namespace culink::text {

// Names of sections, symbols and numbers in a dump. Section symbols often have no name; the dump
// shows the name of their section.

namespace {

struct DumpContext {
  const elf::ElfView &file;
  const DumpOptions &options;
  Sink &sink;
  const WarningSink &warn;
};

// Names for the indices of one symbol table.
class SymbolNames {
public:
  SymbolNames(const DumpContext &context, const elf::SymbolTable &table)
      : context_(context), table_(table) {}
  // Takes the table that sh_link of `user` refers to, or .symtab if it is 0.
  SymbolNames(const DumpContext &context, const elf::Section &user)
      : SymbolNames(context, context.file.linked_symbols(user)) {
    if (table_.empty())
      table_ = context.file.symbols();
  }

  // Returns "" for an index that is 0 or out of range, and the section's name for an unnamed
  // section symbol.
  [[nodiscard]] std::string operator()(u32 index) const {
    return index == 0 || index >= table_.size() ? std::string() : of(table_[index]);
  }
  [[nodiscard]] std::string of(const elf::Symbol &symbol) const {
    if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
      return std::string(context_.file.sections()[symbol.section].name);
    return shown_name(symbol.name, context_.options.demangle ? demangle : nullptr);
  }
  [[nodiscard]] const elf::SymbolTable &table() const { return table_; }

private:
  const DumpContext &context_;
  elf::SymbolTable table_;
};

// R_CUDA_* or R_MERCURY_*; "" for a number without a name.
std::string_view relocation_name(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? row->name : std::string_view();
}

// The heading of a row that describes one section: its name, then its index.
void put_section(Sink &sink, const elf::Section &section) {
  sink.field({"name", "name"}, name(section.name));
  sink.put("section", number(section.index));
}

// Warns about each violation that a codec found in `section`.
void warn_violations(const DumpContext &context, const elf::Section &section,
                     const std::vector<elf::Violation> &violations) {
  for (const elf::Violation &violation : violations)
    context.warn({elf::describe_section(section), fmt::format("offset {:#x}", violation.offset),
                  violation.message});
}

// Writes the bytes of `section` that a codec could not read, and warnings.
void put_rest(const DumpContext &context, const elf::Section &section, const auto &decoded) {
  if (!decoded.rest.empty())
    context.sink.bytes({"rest", ""}, decoded.rest);
  warn_violations(context, section, decoded.violations);
}

// The file header, with the target that the ABI bytes and e_flags encode.

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

// The tables that every ELF file has: sections, segments, symbols, relocations. Each row is written
// as soon as it is read, so the memory use does not depend on the size of the file.

std::string_view type_name(elf::SectionType type) {
  return elf::kSectionTypeNames.name_of(type).value_or("");
}

// ---- Segments -----------------------------------------------------------------------------------

// Returns the sections by file offset, to find those inside a range.
std::vector<const elf::Section *> sections_by_offset(const elf::ElfView &file) {
  std::vector<const elf::Section *> sorted;
  for (const elf::Section &section : file.sections())
    if (section.index != 0 && section.size != 0)
      sorted.push_back(&section);
  std::ranges::stable_sort(sorted, {}, &elf::Section::offset);
  return sorted;
}

// True if the segment contains the bytes of the section or, for a section without bytes, its place
// in the memory after them. Addresses do not help here: they are all 0.
bool holds(const elf::Segment &segment, const elf::Section &section) {
  const u64 start = section.offset - segment.offset;
  if (section.no_data())
    return start <= segment.filesz && segment.memsz > segment.filesz &&
           (section.flags & elf::kFlagAlloc) != 0;
  return start <= segment.filesz && segment.filesz - start >= section.size;
}

// A damaged file can have 65,535 segments that each cover 100,000 sections. In a valid file the
// sections are visited only a few times in total, so a limit does not affect it.
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

// Describes st_other: kernel or memory space, managed, visibility; unknown bits as a number.
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
  const SymbolNames names(context, context.file.symbols(section));
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
  const SymbolNames names(context, context.file.linked_symbols(section));
  const elf::Section *target = context.file.info_section(section);
  context.sink.put("target", label(section.info, target ? target->name : ""));
  context.sink.put("count", number(table.size()));
  context.sink.open_list("entries", "",
                         table.has_addends() ? std::span<const Column>(kColumns) : kWithoutAddend);
  for (u32 i = 0; i < table.size(); ++i) {
    const elf::Relocation relocation = table[i];
    const std::string symbol = names(relocation.symbol);
    context.sink.open_row();
    context.sink.cells(kColumns, {hex(relocation.offset),
                                  label(relocation.type, relocation_name(relocation.type))});
    if (table.has_addends())
      context.sink.field(kColumns[2], signed_hex(relocation.addend));
    context.sink.field(kColumns[3], label(relocation.symbol, symbol));
    context.sink.close_row();
  }
  context.sink.close_list();
}

// Sections whose records have a known layout. Records that do not fit it are shown as bytes.

// Writes the fields of elf/records/fields.h to a sink.
struct FieldPrinter {
  static constexpr bool kDocument = false;
  Sink &sink;
  const SymbolNames *names = nullptr; // names of the symbols that records refer to
  elf::InfoShape shape = elf::InfoShape::Opaque;
  bool masks = false; // values are bit masks and shown in hexadecimal

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
// name, its format, and the value according to the attribute's layout. A record that does not fit
// its layout is shown as bytes.

constexpr Column kAttribute{"attribute", "attribute", -38};
constexpr Column kFormat{"format", "format", -10};

// True for bit masks and packed versions, which are hard to read in decimal.
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
// records; a descriptor that cannot be read is shown as bytes, next to the warning.

// Returns the strings of the symbol table, which prototypes are offsets into.
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

// Notes that cannot be read are shown as bytes.
void put_unreadable(const DumpContext &context, const elf::Section &section, const elf::Note &note,
                    const Error &error) {
  context.sink.bytes({"bytes", ""}, note.desc);
  context.warn({elf::describe_section(section), error.field, error.message});
}

void put_toolkit_info(const DumpContext &context, const elf::Section &section,
                      const elf::Note &note) {
  const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
  if (!info)
    return put_unreadable(context, section, note, info.error());
  context.sink.put("version", number(info->version));
  for (const elf::ToolkitText &row : elf::kToolkitTexts) {
    context.sink.continue_row();
    context.sink.put(row.key, name(*info.*row.text));
  }
}

void put_cuda_info(const DumpContext &context, const elf::Section &section, const elf::Note &note) {
  Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc);
  if (!info)
    return put_unreadable(context, section, note, info.error());
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

// Writes the header and the number of records; the records themselves are encoded instructions.
void put_capsule(const DumpContext &context, const elf::Section &section) {
  const elf::Capsule capsule = elf::decode_capsule(section.data);
  if (!capsule.violations.empty() && context.file.find(".note.nv.cuver")) { // toolkit 12.8
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

// Lists Mercury sections that share their bytes with a section of machine code.
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

// The dump of one file: its parts in a fixed order. Each part reads the file again, so that a part
// can be requested alone; this is cheap, because the view decodes on demand.

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

// Writes the contents of a section into its row.
using PutSection = void(const DumpContext &context, const elf::Section &section);

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

// Writes the sections of one kind. Few files have more than two of the rarer kinds, so a kind that
// does not occur is left out, not shown as empty.
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

// Writes all sections of a given name; section names need not be unique.
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
