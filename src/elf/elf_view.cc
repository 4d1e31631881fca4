// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of the validated view. They rely on what elf_parser.cc established: every Section's
// data lies inside the file, links and section-valued infos are valid indices. Table entries are
// decoded on demand; an entry that a tolerant view let pass reads as unnamed or undefined.
#include "elf/elf_view.h"

#include "base/bytes.h"
#include "elf/wire.h"

#include <cstddef>

#include <fmt/format.h>

namespace culink::elf {

namespace {

u32 symbol_stride(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? sizeof(wire::Sym64) : sizeof(wire::Sym32);
}

} // namespace

SymbolTable::SymbolTable(ElfClass elf_class, u32 section_count, ByteSpan entries, ByteSpan strings,
                         ByteSpan extended_indices)
    : entries_(entries), strings_(terminated_strings(strings)), extended_(extended_indices),
      count_(static_cast<u32>(entries.size() / symbol_stride(elf_class))),
      section_count_(section_count), class_(elf_class) {}

SymbolType SymbolTable::type_of(u32 i) const {
  const u8 info =
      class_ == ElfClass::Elf64
          ? load_le<wire::Sym64>(entries_.data() + u64{i} * sizeof(wire::Sym64)).st_info
          : load_le<wire::Sym32>(entries_.data() + u64{i} * sizeof(wire::Sym32)).st_info;
  return static_cast<SymbolType>(info & 15);
}

std::vector<Symbol> SymbolTable::all() const {
  std::vector<Symbol> out;
  out.reserve(count_);
  if (class_ != ElfClass::Elf64) {
    for (u32 i = 0; i < count_; ++i)
      out.push_back((*this)[i]);
    return out;
  }
  // Fields go from the table to their places without a structure between: see store_fields.
  out.resize(count_);
  const ByteSpan strings = strings_;
  const u32 section_count = section_count_;
  const u8 *raw = entries_.data();
  for (Symbol &symbol : out) {
    const u32 name = load_le<u32>(raw + offsetof(wire::Sym64, st_name));
    const u16 section = load_le<u16>(raw + offsetof(wire::Sym64, st_shndx));
    symbol.name_offset = name;
    symbol.raw_section = section;
    symbol.section = section < std::min<u32>(section_count, kSectionLoReserve)
                         ? section
                         : true_section(static_cast<u32>(&symbol - out.data()), section);
    symbol.value = load_le<u64>(raw + offsetof(wire::Sym64, st_value));
    symbol.size = load_le<u64>(raw + offsetof(wire::Sym64, st_size));
    symbol.info = raw[offsetof(wire::Sym64, st_info)];
    symbol.other = raw[offsetof(wire::Sym64, st_other)];
    raw += sizeof(wire::Sym64);
    symbol.name = string_in(strings, name);
  }
  return out;
}

bool ElfView::holds_all_sections(ByteSpan file) {
  const std::optional<wire::Ehdr64> header = load_at<wire::Ehdr64>(file, 0);
  if (!header || header->e_shoff == 0 || header->e_shentsize != sizeof(wire::Shdr64))
    return false;
  const std::optional<ByteSpan> table =
      slice(file, header->e_shoff, header->e_shnum * sizeof(wire::Shdr64));
  if (!table)
    return false;
  for (u64 at = 0; at < table->size(); at += sizeof(wire::Shdr64)) {
    const u8 *raw = table->data() + at;
    const u64 offset = load_le<u64>(raw + offsetof(wire::Shdr64, sh_offset));
    const u64 size = load_le<u64>(raw + offsetof(wire::Shdr64, sh_size));
    if ((offset > file.size() || size > file.size() - offset) &&
        !has_no_file_data(load_le<SectionType>(raw + offsetof(wire::Shdr64, sh_type))))
      return false;
  }
  return header->e_shnum != 0;
}

void ElfView::release_tables() {
  header_.section_count = 0;
  symtab_ = 0;
  sections_ = SectionList();
  segments_ = std::vector<Segment>();
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
