// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of the two files: which sections and symbols there are, in which order, and what their
// entries say. Indices are never compared: sh_link, sh_info and st_shndx are reported by name, so a
// section more does not show in every header behind it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/section_kind.h"
#include "inspect/diff/diff_report.h"

namespace culink::text::diff {

using elf::ElfView;
using elf::Section;
using elf::SectionRole;
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

} // namespace

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

} // namespace culink::text::diff
