// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of symbol and relocation tables. A symbol's section is a reference; st_shndx and the
// extended index follow from it. What a reference cannot say (SHN_ABS, an index of no section)
// stands under `shndx` as stored.
#include "yaml/table_rows.h"

#include <array>

#include "yaml/document/words.h"

namespace culink::text {

using elf::Symbol;

namespace {

constexpr std::array<std::string_view, 9> kSymbolKeys = {
    "name", "name_at", "type", "bind", "section", "shndx", "value", "size", "other"};
constexpr std::array<std::string_view, 4> kRelocationKeys = {"at", "type", "to", "add"};

// Whether `section` says all about st_shndx.
bool section_is_reference(const Symbol &symbol, const NameIndex &sections) {
  if (!symbol.in_section() || symbol.section >= sections.size())
    return false;
  return (symbol.raw_section == elf::kSectionXindex) == (symbol.section >= elf::kSectionLoReserve);
}

// The name that a row without `name` and `name_at` stands for.
std::string_view implied_name(const Symbol &symbol, const NameIndex &sections) {
  if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
    return {};
  return sections.name(symbol.section);
}

elf::SymbolBinding default_binding(elf::SymbolType type) {
  return type == elf::SymbolType::Section ? elf::SymbolBinding::Local : elf::SymbolBinding::Global;
}

} // namespace

SymbolName symbol_name(const Symbol &symbol, const NameIndex &sections,
                       const StringPlaces &strings) {
  std::string_view implied;
  if (section_is_reference(symbol, sections))
    implied = implied_name(symbol, sections);
  if (symbol.name_offset == 0)
    return {implied.empty() ? SymbolName::Form::Implied : SymbolName::Form::Stated, {}};
  if (symbol.name.empty() || strings.find(symbol.name) != symbol.name_offset)
    return {SymbolName::Form::Offset, {}};
  return {symbol.name == implied ? SymbolName::Form::Implied : SymbolName::Form::Stated,
          symbol.name};
}

Node describe_symbol(const Symbol &symbol, const SymbolName &name, const NameIndex &sections) {
  Node out = Node::map(Node::Style::Flow);
  if (name.form == SymbolName::Form::Stated)
    out.set("name", name_node(name.name));
  if (name.form == SymbolName::Form::Offset)
    out.set("name_at", hexadecimal(symbol.name_offset));
  if (symbol.type() != elf::SymbolType::NoType)
    out.set("type", words_of(Words::SymbolType, symbol.type()));
  if (symbol.binding() != default_binding(symbol.type()))
    out.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
  if (section_is_reference(symbol, sections))
    out.set("section", sections.reference(symbol.section));
  else if (symbol.raw_section != elf::kSectionUndefined)
    out.set("shndx", hexadecimal(symbol.raw_section));
  if (symbol.value != 0)
    out.set("value", hexadecimal(symbol.value));
  if (symbol.size != 0)
    out.set("size", hexadecimal(symbol.size));
  if (symbol.other != 0)
    out.set("other", words_of(Words::SymbolOther, symbol.other));
  return out;
}

SymbolRow read_symbol(const Node &node, const NameIndex &sections, Complaints &complaints) {
  const MapReader row(node, kSymbolKeys, complaints);
  SymbolRow out;
  Symbol &symbol = out.symbol;
  elf::SymbolType type = elf::SymbolType::NoType;
  read_words(Words::SymbolType, row.find("type"), type, complaints);
  elf::SymbolBinding binding = default_binding(type);
  read_words(Words::SymbolBinding, row.find("bind"), binding, complaints);
  symbol.info = static_cast<u8>(static_cast<u32>(binding) << 4 | static_cast<u32>(type));
  read_words(Words::SymbolOther, row.find("other"), symbol.other, complaints);
  symbol.value = row.number("value", 0);
  symbol.size = row.number("size", 0);
  if (const Node *item = row.find("section")) {
    symbol.section = sections.resolve(*item, complaints);
    symbol.raw_section = static_cast<u16>(
        symbol.section >= elf::kSectionLoReserve ? elf::kSectionXindex : symbol.section);
  } else {
    symbol.raw_section = static_cast<u16>(row.number("shndx", 0, 0xffff));
    symbol.section = symbol.raw_section;
  }
  if (row.has("name_at")) {
    symbol.name_offset = static_cast<u32>(row.number("name_at", 0, 0xffffffff));
    out.has_offset = true;
  } else if (row.has("name")) {
    out.name = row.name("name");
  } else if (row.has("section")) {
    out.name = implied_name(symbol, sections);
  }
  return out;
}

Node describe_relocation(const elf::Relocation &relocation, bool has_addend,
                         const NameIndex &symbols) {
  Node out = Node::map(Node::Style::Flow);
  out.set("at", hexadecimal(relocation.offset));
  out.set("type", words_of(Words::RelocationType, relocation.type));
  if (relocation.symbol != 0)
    out.set("to", symbols.reference(relocation.symbol));
  if (has_addend && relocation.addend != 0)
    out.set("add", signed_hexadecimal(relocation.addend));
  return out;
}

elf::Relocation read_relocation(const Node &node, bool has_addend, const NameIndex &symbols,
                                Complaints &complaints) {
  const MapReader row(node, kRelocationKeys, complaints);
  elf::Relocation out;
  out.offset = row.number("at", 0);
  read_words(Words::RelocationType, row.find("type"), out.type, complaints);
  if (!row.has("type"))
    row.report("`type` is missing: a name such as R_CUDA_ABS32_LO_32, or a number");
  if (const Node *item = row.find("to"))
    out.symbol = symbols.resolve(*item, complaints);
  if (const Node *item = row.find("add")) {
    const std::optional<i64> addend = item->is_scalar() ? parse_signed(item->text) : std::nullopt;
    if (!addend)
      complaints.add(*item, "not a number");
    else if (!has_addend && *addend != 0)
      complaints.add(*item, "a table of type REL has no addends; use .rela and type RELA");
    out.addend = addend.value_or(0);
  }
  return out;
}

} // namespace culink::text
