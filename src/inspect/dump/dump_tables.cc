// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables every ELF file has: sections, segments, symbols, relocations. Rows go out as they are
// met; nothing is collected first, so listing a large file costs its tables and no more.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "inspect/dump/dump_parts.h"

namespace culink::text {

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

} // namespace culink::text
