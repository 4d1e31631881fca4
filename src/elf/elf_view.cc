// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of the validated view. They rely on the checks of elf_parser.cc: the data of every
// section lies inside the file, and links and infos that are section indices are valid. Table
// entries are decoded on demand; an invalid entry of a tolerant view reads as unnamed or undefined.
#include "elf/elf_view.h"

#include "elf/wire.h"
#include "support/bytes.h"

#include <cstddef>

#include <fmt/format.h>

namespace culink::elf {

SymbolTable::SymbolTable(ElfClass elf_class, u32 section_count, ByteSpan entries, ByteSpan strings,
                         ByteSpan extended_indices)
    : entries_(entries), strings_(terminated_strings(strings)), extended_(extended_indices),
      count_(static_cast<u32>(entries.size() / symbol_entry_size(elf_class))),
      section_count_(section_count), class_(elf_class) {}

std::vector<Symbol> SymbolTable::all() const {
  std::vector<Symbol> out(count_);
  for (u32 i = 0; i < count_; ++i)
    out[i] = (*this)[i];
  return out;
}

void ElfView::release_tables() {
  header_.section_count = 0;
  symtab_ = 0;
  sections_ = {};
  segments_ = {};
  extended_.clear();
}

const Section *ElfView::find(std::string_view name) const {
  for (const Section &s : sections_)
    if (s.name == name)
      return &s;
  return nullptr;
}

ByteSpan ElfView::extended_indices(u32 symbol_table) const {
  for (const auto &[table, indices] : extended_)
    if (table == symbol_table)
      return sections_[indices].data;
  return {};
}

SymbolTable ElfView::symbols(const Section &table) const {
  if (!is_symbol_table(table.type))
    return {};
  return {header_.elf_class(), header_.section_count, table.data, sections_[table.link].data,
          extended_indices(table.index)};
}

SymbolTable ElfView::symbols() const {
  return symtab_ == 0 ? SymbolTable{} : symbols(sections_[symtab_]);
}

SymbolTable ElfView::linked_symbols(const Section &user) const {
  return symbols(sections_[user.link]);
}

const Section *ElfView::info_section(const Section &user) const {
  const bool names_section = (user.flags & kFlagInfoLink) != 0 || is_relocation_table(user.type);
  return names_section && user.info != 0 && user.info < sections_.size() ? &sections_[user.info]
                                                                         : nullptr;
}

std::string describe_section(const Section &section) {
  return section.name.empty() ? fmt::format("section {}", section.index)
                              : fmt::format("section {} '{}'", section.index, section.name);
}

} // namespace culink::elf
