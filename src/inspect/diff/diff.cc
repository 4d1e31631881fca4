// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison from the top: header and layout, and the order of all parts. Everything that can
// differ is reported by the part that knows what it means; offsets come last, because almost any
// other difference moves them.
//
// The tables of the two files: which sections and symbols there are, in which order, and what their
// entries say. Indices are never compared: sh_link, sh_info and st_shndx are reported by name, so a
// section more does not show in every header behind it.
#include "inspect/diff/diff.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/section_kind.h"
#include "inspect/diff/diff_report.h"

namespace culink::text {

namespace diff {

using elf::ElfView;
using elf::FileHeader;
using elf::Section;
using elf::SectionRole;
using elf::Segment;
using elf::Symbol;
using elf::SymbolTable;

namespace {

std::string symbol_value(const Side &side, const Symbol &symbol) {
  return fmt::format(
      "binding {}, type {}, other {:#04x}, section {}, value {:#x}, size {:#x}",
      name_or_number(elf::kSymbolBindingNames.name_of(symbol.binding()), symbol.info >> 4),
      name_or_number(elf::kSymbolTypeNames.name_of(symbol.type()), symbol.info & 15), symbol.other,
      side.symbol_section(symbol), symbol.value, symbol.size);
}

std::vector<Item> symbol_items(const Files &files, const Side &side, const Section &table) {
  const SymbolTable symbols = side.view().symbols(table);
  std::vector<Item> items;
  items.reserve(symbols.size());
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols[i];
    if (symbol.type() == elf::SymbolType::Section && symbol.in_section() &&
        files.one_sided(side.view().sections()[symbol.section]))
      continue;
    items.push_back({side.symbol(symbols, i), symbol_value(side, symbol), i});
  }
  return items;
}

// What sh_info means for this section.
std::string info_text(const Side &side, const Section &s) {
  switch (role_of(s)) {
  case SectionRole::Text:
  case SectionRole::CapmercText: {
    // Targets before sm_90 keep the register count in the top byte.
    const SymbolTable symbols = side.view().linked_symbols(s);
    const std::string name = side.symbol(symbols, s.info & 0xffffff);
    return s.info >> 24 == 0 ? name : fmt::format("{} and {} registers", name, s.info >> 24);
  }
  case SectionRole::SymbolTable:
    return std::to_string(s.info);
  default:
    return s.info < side.view().sections().size() ? side.section(s.info) : std::to_string(s.info);
  }
}

std::string type_text(const Section &s) {
  return name_or_number(elf::kSectionTypeNames.name_of(s.type), static_cast<u32>(s.type));
}

struct SectionField {
  std::string_view name;
  std::string (*text)(const Side &, const Section &);
};

constexpr std::array kSectionFields = std::to_array<SectionField>({
    {"type", [](const Side &, const Section &s) { return type_text(s); }},
    {"flags", [](const Side &, const Section &s) { return fmt::format("{:#x}", s.flags); }},
    {"link", [](const Side &side, const Section &s) { return side.section(s.link); }},
    {"info", info_text},
    {"alignment", [](const Side &, const Section &s) { return std::to_string(s.align); }},
    {"entry size", [](const Side &, const Section &s) { return std::to_string(s.entsize); }},
    {"address", [](const Side &, const Section &s) { return fmt::format("{:#x}", s.addr); }},
});

bool same_header(const Section &a, const Section &b) {
  return a.type == b.type && a.flags == b.flags && a.link == b.link && a.info == b.info &&
         a.align == b.align && a.entsize == b.entsize && a.addr == b.addr && a.size == b.size;
}

std::vector<Item> string_items(const Section &table) {
  std::vector<Item> items;
  std::string_view rest(reinterpret_cast<const char *>(table.data.data()), table.data.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    add_item(items, quoted(rest.substr(0, end)), "");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return items;
}

void diff_functions(const Files &files, Report &report) {
  const auto items = [&](const Side &side) {
    std::vector<Item> out;
    for (const Section &s : side.view().sections())
      if (const auto kind = elf::classify_section(s.name, s.type, s.flags);
          kind.role == SectionRole::Text && files.one_sided(s))
        add_item(out, quoted(kind.owner), "");
    return out;
  };
  diff_items({DiffTopic::Functions, "", "function", false}, items(files.a), items(files.b), report);
}

void diff_section_list(const Files &files, Report &report) {
  const auto items = [&](const Side &side) {
    std::vector<Item> out;
    for (const Section &s : side.view().sections())
      if (s.index != 0 && !files.one_sided(s))
        out.push_back({side.section(s.index), "", s.index});
    return out;
  };
  diff_items({DiffTopic::Sections, "", "section"}, items(files.a), items(files.b), report);
}

void diff_symbols(const Files &files, Report &report) {
  if (files.same_numbers)
    return;
  for (const Pair &pair : files.pairs)
    if (is_symbol_table(pair.a->type) && is_symbol_table(pair.b->type))
      diff_items({DiffTopic::Symbols, pair.a->name, "symbol"},
                 symbol_items(files, files.a, *pair.a), symbol_items(files, files.b, *pair.b),
                 report);
}

void diff_section_headers(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs) {
    if (files.same_numbers && same_header(*pair.a, *pair.b))
      continue;
    for (const SectionField &field : kSectionFields) {
      const std::string a = field.text(files.a, *pair.a);
      const std::string b = field.text(files.b, *pair.b);
      if (a != b)
        report.add(DiffTopic::Headers, files.a.section(pair.a->index),
                   [&] { return fmt::format("{} {} vs {}", field.name, a, b); });
    }
    // The size of a table follows from its entries, which are compared one by one.
    if (pair.a->size != pair.b->size && !has_records(*pair.a))
      report.add(DiffTopic::Headers, files.a.section(pair.a->index),
                 [&] { return fmt::format("size {:#x} vs {:#x}", pair.a->size, pair.b->size); });
  }
}

void diff_strings(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs)
    if (pair.a->type == elf::SectionType::Strtab && pair.b->type == elf::SectionType::Strtab &&
        !std::ranges::equal(pair.a->data, pair.b->data))
      diff_items({DiffTopic::Strings, files.a.section(pair.a->index), "string"},
                 string_items(*pair.a), string_items(*pair.b), report);
}

struct FileField {
  std::string_view name;
  u64 (*value)(const FileHeader &);
  DiffTopic topic;
};

// Sizes, offsets and counts follow from what the sections are; they are layout.
constexpr std::array kFileFields = std::to_array<FileField>({
    {"class", [](const FileHeader &h) -> u64 { return h.ident[elf::kIdentClass]; },
     DiffTopic::Header},
    {"OSABI", [](const FileHeader &h) -> u64 { return h.ident[elf::kIdentOsAbi]; },
     DiffTopic::Header},
    {"ABI version", [](const FileHeader &h) -> u64 { return h.ident[elf::kIdentAbiVersion]; },
     DiffTopic::Header},
    {"type", [](const FileHeader &h) -> u64 { return static_cast<u64>(h.type); },
     DiffTopic::Header},
    {"machine", [](const FileHeader &h) -> u64 { return h.machine; }, DiffTopic::Header},
    {"version", [](const FileHeader &h) -> u64 { return h.version; }, DiffTopic::Header},
    {"entry", [](const FileHeader &h) -> u64 { return h.entry; }, DiffTopic::Header},
    {"flags", [](const FileHeader &h) -> u64 { return h.flags; }, DiffTopic::Header},
    {"header size", [](const FileHeader &h) -> u64 { return h.ehsize; }, DiffTopic::Header},
    {"program header size", [](const FileHeader &h) -> u64 { return h.phentsize; },
     DiffTopic::Header},
    {"section header size", [](const FileHeader &h) -> u64 { return h.shentsize; },
     DiffTopic::Header},
    {"stored section count", [](const FileHeader &h) -> u64 { return h.shnum; }, DiffTopic::Layout},
    {"index of the section names", [](const FileHeader &h) -> u64 { return h.shstrndx; },
     DiffTopic::Layout},
    {"offset of the section table", [](const FileHeader &h) -> u64 { return h.shoff; },
     DiffTopic::Layout},
    {"offset of the program headers", [](const FileHeader &h) -> u64 { return h.phoff; },
     DiffTopic::Layout},
});

void diff_header_fields(const Files &files, DiffTopic topic, Report &report) {
  const FileHeader &a = files.a.view().header(), &b = files.b.view().header();
  for (const FileField &field : kFileFields)
    if (const u64 x = field.value(a), y = field.value(b); field.topic == topic && x != y)
      report.add(topic, "ELF header",
                 [&] { return fmt::format("{} {:#x} vs {:#x}", field.name, x, y); });
}

// The first section whose place differs, and how many more do.
void diff_places(const Files &files, u64 (*value)(const Section &), std::string_view what,
                 Report &report) {
  const Pair *first = nullptr;
  u64 count = 0;
  for (const Pair &pair : files.pairs)
    if (value(*pair.a) != value(*pair.b)) {
      first = first ? first : &pair;
      ++count;
    }
  if (first)
    report.add(DiffTopic::Layout, files.a.section(first->a->index), [&] {
      return fmt::format("{} {:#x} vs {:#x} (the first of {} sections)", what, value(*first->a),
                         value(*first->b), count);
    });
}

// The part of the file that a segment loads, for comparisons in which sections may move. Padding
// changes with every move, and with it the side of the segment's end on which a section without
// bytes lies; so a segment is reported by the bytes it holds, and by padding only where there is
// more than an alignment can ask for.
struct Loaded {
  const Section *first = nullptr;
  const Section *last = nullptr;
  u64 most_padding = 1;
};

Loaded loaded_sections(const elf::ElfView &view, const Segment &segment) {
  Loaded out;
  for (const Section &s : view.sections()) {
    out.most_padding = std::max(out.most_padding, s.align);
    const bool has_bytes = s.index != 0 && s.type != elf::SectionType::Nobits && s.size != 0;
    if (!has_bytes || s.offset < segment.offset || s.offset - segment.offset >= segment.filesz)
      continue;
    out.first = out.first && out.first->offset <= s.offset ? out.first : &s;
    out.last = out.last && out.last->offset > s.offset ? out.last : &s;
  }
  return out;
}

std::string loaded_text(const elf::ElfView &view, const Segment &segment) {
  const Loaded loaded = loaded_sections(view, segment);
  if (!loaded.first)
    return segment.filesz < loaded.most_padding
               ? "without content"
               : fmt::format("{:#x} bytes outside of sections", segment.filesz);
  std::string out = fmt::format("from '{}' to '{}'", loaded.first->name, loaded.last->name);
  const u64 before = loaded.first->offset - segment.offset;
  if (before >= loaded.most_padding)
    out += fmt::format(", {:#x} bytes before", before);
  const u64 last_at = loaded.last->offset - segment.offset;
  if (segment.filesz - last_at < loaded.last->size)
    out += fmt::format(", only {:#x} bytes of the last", segment.filesz - last_at);
  else if (const u64 behind = segment.filesz - last_at - loaded.last->size;
           behind >= loaded.most_padding)
    out += fmt::format(", {:#x} bytes behind", behind);
  return out;
}

// A toolkit note of another length moves everything behind it.
DiffOptions forgive_moves(const DiffOptions &options, const Files &files) {
  DiffOptions out = options;
  for (const Pair &pair : files.pairs)
    if (options.ignores(DiffTopic::Tkinfo) && pair.a->name == ".note.nv.tkinfo" &&
        pair.a->size != pair.b->size)
      out.ignored[static_cast<u32>(DiffTopic::Layout)] = true;
  return out;
}

// Nothing was reported, although something was compared: only then are unexplained bytes news.
bool nothing_ignored(const DiffOptions &options) {
  return std::ranges::find(options.ignored, true) == options.ignored.end();
}

void diff_header(const Files &files, Report &report) {
  diff_header_fields(files, DiffTopic::Header, report);
  if (!std::ranges::equal(files.a.view().header().ident, files.b.view().header().ident) &&
      !report.any())
    report.add(DiffTopic::Header, "ELF header",
               [] { return std::string("identification bytes differ"); });
}

void diff_segments(const Files &files, Report &report) {
  const bool with_places = !report.options().ignores(DiffTopic::Layout);
  const auto items = [&](const elf::ElfView &view) {
    std::vector<Item> out;
    for (const Segment &s : view.segments()) {
      const auto type = elf::kSegmentTypeNames.name_of(s.type);
      std::string value =
          fmt::format("type {}, flags {}, address {:#x}, physical {:#x}, alignment {}",
                      type ? std::string(*type) : fmt::format("{:#x}", static_cast<u32>(s.type)),
                      s.flags, s.vaddr, s.paddr, s.align);
      if (with_places)
        value += fmt::format(", file size {:#x}, memory size {:#x}, offset {:#x}", s.filesz,
                             s.memsz, s.offset);
      else
        value +=
            fmt::format(", {}, {:#x} more in memory", loaded_text(view, s), s.memsz - s.filesz);
      add_item(out, fmt::format("{}", out.size()), std::move(value));
    }
    return out;
  };
  diff_items({DiffTopic::Segments, "", "program header", false}, items(files.a.view()),
             items(files.b.view()), report);
}

void diff_layout(const Files &files, Report &report) {
  diff_places(
      files, [](const Section &s) { return s.offset; }, "offset", report);
  diff_places(
      files, [](const Section &s) -> u64 { return s.name_offset; }, "name at", report);
  diff_header_fields(files, DiffTopic::Layout, report);
}

} // namespace

} // namespace diff

DiffResult diff_files(const elf::ElfView &a, const elf::ElfView &b, const DiffOptions &options) {
  using namespace diff;
  if (std::ranges::equal(a.file(), b.file()))
    return {};
  const Files files = match_sections(a, b);
  Report report(forgive_moves(options, files));
  diff_header(files, report);
  diff_functions(files, report);
  diff_section_list(files, report);
  diff_symbols(files, report);
  diff_section_headers(files, report);
  diff_records(files, report);
  diff_contents(files, report);
  diff_strings(files, report);
  diff_segments(files, report);
  diff_layout(files, report);
  if (!report.any() && nothing_ignored(options))
    diff_padding(files, report);
  return std::move(report).take();
}

} // namespace culink::text
