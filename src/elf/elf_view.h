// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "elf/constants.h"
#include "elf/wire.h"
#include "support/bytes.h"
#include "support/result.h"
#include "support/types.h"

namespace culink::elf {

// The file header, widened to 64 bits. `section_count` and `name_section` are the actual values:
// the escapes e_shnum = 0 and e_shstrndx = 0xffff are resolved.
struct FileHeader {
  u8 ident[16] = {};
  FileType type = FileType::None;
  u16 machine = 0;
  u32 version = 0;
  u64 entry = 0;
  u64 phoff = 0;
  u64 shoff = 0;
  u32 flags = 0;
  u16 ehsize = 0;
  u16 phentsize = 0;
  u16 phnum = 0;
  u16 shentsize = 0;
  u16 shnum = 0;
  u16 shstrndx = 0;
  u32 section_count = 0;
  u32 name_section = 0;

  [[nodiscard]] ElfClass elf_class() const { return static_cast<ElfClass>(ident[kIdentClass]); }
  [[nodiscard]] bool is_cuda() const { return machine == kMachineCuda; }
  // True for toolkits up to 11.8, with three parts in their call graphs.
  [[nodiscard]] bool is_before_toolkit_12() const {
    return ident[kIdentOsAbi] == kOsAbiCudaOld && version < 120;
  }
};

struct Section {
  u32 name_offset = 0;
  SectionType type = SectionType::Null;
  u64 flags = 0;
  u64 addr = 0;
  u64 offset = 0;
  u64 size = 0;
  u32 link = 0;
  u32 info = 0;
  u64 align = 0;
  u64 entsize = 0;

  u32 index = 0;
  std::string_view name;
  ByteSpan data; // empty for types without file data, whatever `size` says

  [[nodiscard]] bool no_data() const { return has_no_file_data(type); }
  [[nodiscard]] bool is_mercury() const { return (flags & kFlagMercury) != 0; }
};

struct Symbol {
  std::string_view name;
  u64 value = 0;
  u64 size = 0;
  u32 section = 0; // actual index; reserved ones such as kSectionAbsolute as stored
  u32 name_offset = 0;
  u16 raw_section = 0; // st_shndx as stored
  u8 info = 0;
  u8 other = 0;

  [[nodiscard]] SymbolBinding binding() const { return static_cast<SymbolBinding>(info >> 4); }
  [[nodiscard]] SymbolType type() const { return static_cast<SymbolType>(info & 15); }
  // True if `section` is an index into the section table.
  [[nodiscard]] bool in_section() const {
    return section != kSectionUndefined &&
           (raw_section == kSectionXindex || raw_section < kSectionLoReserve);
  }
  [[nodiscard]] bool undefined() const { return section == kSectionUndefined; }
  [[nodiscard]] bool common() const { return raw_section == kSectionCommon && !in_section(); }
};

struct Relocation {
  u64 offset = 0;
  i64 addend = 0; // 0 for SHT_REL
  u32 type = 0;
  u32 symbol = 0;
};

struct Segment {
  SegmentType type = SegmentType::Null;
  u32 flags = 0;
  u64 offset = 0;
  u64 vaddr = 0;
  u64 paddr = 0;
  u64 filesz = 0;
  u64 memsz = 0;
  u64 align = 0;
};

// Returns the string at an offset of a table that ends with a NUL or is empty (see
// terminated_strings); "" for an offset outside.
[[nodiscard]] inline std::string_view string_in(ByteSpan terminated, u64 offset) {
  return offset < terminated.size() ? reinterpret_cast<const char *>(terminated.data()) + offset
                                    : std::string_view{};
}

// The sh_entsize of tables.
[[nodiscard]] constexpr u32 symbol_entry_size(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? sizeof(wire::Sym64) : sizeof(wire::Sym32);
}
[[nodiscard]] constexpr u32 relocation_entry_size(ElfClass elf_class, bool has_addend) {
  if (elf_class == ElfClass::Elf64)
    return has_addend ? sizeof(wire::Rela64) : sizeof(wire::Rel64);
  return has_addend ? sizeof(wire::Rela32) : sizeof(wire::Rel32);
}

// A symbol table with lazily decoded entries. Names and indices were checked when the file was
// opened (in a tolerant view, invalid ones read as "" or as undefined).
class SymbolTable {
public:
  SymbolTable() = default;
  SymbolTable(ElfClass elf_class, u32 section_count, ByteSpan entries, ByteSpan strings,
              ByteSpan extended_indices);

  [[nodiscard]] u32 size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // Precondition: i < size().
  [[nodiscard]] Symbol operator[](u32 i) const;
  // Returns the symbol without its name, which takes longer to read than all other fields.
  [[nodiscard]] Symbol without_name(u32 i) const;
  [[nodiscard]] std::vector<Symbol> all() const;

private:
  template <typename Sym> [[nodiscard]] Symbol read(u32 i) const;
  [[nodiscard]] u32 true_section(u32 i, u16 stored) const;

  ByteSpan entries_;
  ByteSpan strings_;
  ByteSpan extended_;
  u32 count_ = 0;
  u32 section_count_ = 0;
  ElfClass class_ = ElfClass::Elf64;
};

// Returns the section index of symbol i. Inline, because large files have half a million symbols.
inline u32 SymbolTable::true_section(u32 i, u16 stored) const {
  if (stored < kSectionLoReserve)
    return stored < section_count_ ? stored : kSectionUndefined;
  if (stored != kSectionXindex)
    return stored;
  const u32 index = load_at<u32>(extended_, u64{i} * 4).value_or(kSectionUndefined);
  return index < section_count_ ? index : kSectionUndefined;
}

template <typename Sym> inline Symbol SymbolTable::read(u32 i) const {
  const Sym raw = load_le<Sym>(entries_.data() + u64{i} * sizeof(Sym));
  return {.value = raw.st_value,
          .size = raw.st_size,
          .section = true_section(i, raw.st_shndx),
          .name_offset = raw.st_name,
          .raw_section = raw.st_shndx,
          .info = raw.st_info,
          .other = raw.st_other};
}

inline Symbol SymbolTable::without_name(u32 i) const {
  return class_ == ElfClass::Elf64 ? read<wire::Sym64>(i) : read<wire::Sym32>(i);
}

inline Symbol SymbolTable::operator[](u32 i) const {
  Symbol out = without_name(i);
  out.name = string_in(strings_, out.name_offset);
  return out;
}

class RelocationTable {
public:
  RelocationTable() = default;
  RelocationTable(ElfClass elf_class, bool has_addends, u32 symbol_count, ByteSpan entries);

  [[nodiscard]] u32 size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool has_addends() const { return has_addends_; }
  // Precondition: i < size().
  [[nodiscard]] Relocation operator[](u32 i) const;
  // for (const Relocation entry : table)
  class Iterator {
  public:
    Iterator(const RelocationTable &table, u32 index) : table_(table), index_(index) {}
    Relocation operator*() const { return table_[index_]; }
    Iterator &operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return index_ != other.index_; }

  private:
    const RelocationTable &table_;
    u32 index_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, count_}; }

private:
  template <typename Rel, typename Addend>
  [[nodiscard]] Relocation decode(const u8 *entry, u32 symbol_shift, u64 type_mask) const;

  ByteSpan entries_;
  u32 stride_ = 1;
  u32 count_ = 0;
  u32 symbol_count_ = 0;
  ElfClass class_ = ElfClass::Elf64;
  bool has_addends_ = false;
};

// Inline, because every pass over relocations is a loop around these, and most tables are short.
inline RelocationTable::RelocationTable(ElfClass elf_class, bool has_addends, u32 symbol_count,
                                        ByteSpan entries)
    : entries_(entries), stride_(relocation_entry_size(elf_class, has_addends)),
      count_(static_cast<u32>(entries.size() / stride_)), symbol_count_(symbol_count),
      class_(elf_class), has_addends_(has_addends) {}

template <typename Rel, typename Addend>
inline Relocation RelocationTable::decode(const u8 *entry, u32 symbol_shift, u64 type_mask) const {
  const auto raw = load_le<Rel>(entry);
  Relocation out;
  out.offset = raw.r_offset;
  out.type = static_cast<u32>(raw.r_info & type_mask);
  out.symbol = static_cast<u32>(raw.r_info >> symbol_shift);
  if (has_addends_)
    out.addend = load_le<Addend>(entry + sizeof(Rel));
  if (out.symbol >= symbol_count_)
    out.symbol = 0;
  return out;
}

inline Relocation RelocationTable::operator[](u32 i) const {
  const u8 *p = entries_.data() + u64{i} * stride_;
  return class_ == ElfClass::Elf64 ? decode<wire::Rel64, i64>(p, 32, 0xffffffff)
                                   : decode<wire::Rel32, i32>(p, 8, 0xff);
}

// An ELF file, 64 or 32 bit, little-endian. Every offset, size, count, index and string was checked
// once, so accessors cannot fail and never read outside the file. The view refers to the caller's
// bytes; it allocates one Section per section header and little else.
class ElfView {
public:
  // Refuses an invalid file: for linkers and assemblers. The error names the first violated rule.
  [[nodiscard]] static Result<ElfView> open(ByteSpan file);

  // Refuses only a file with an unreadable header: for inspectors. Every violation is listed in
  // violations(), and the affected value reads as empty.
  [[nodiscard]] static Result<ElfView> open_tolerant(ByteSpan file);

  // For host files, of which few sections matter: checks header and section table like open, but
  // does not read symbols, relocations and segments.
  [[nodiscard]] static Result<ElfView> open_sections(ByteSpan file);

  [[nodiscard]] const FileHeader &header() const { return header_; }
  [[nodiscard]] ByteSpan file() const { return file_; }
  [[nodiscard]] std::span<const Section> sections() const { return sections_; }
  [[nodiscard]] const std::vector<Segment> &segments() const { return segments_; }
  [[nodiscard]] const std::vector<Error> &violations() const { return violations_; }

  // Frees the tables: the view then has neither sections nor segments.
  void release_tables();

  // Returns the first section of that name, or null. Linear.
  [[nodiscard]] const Section *find(std::string_view name) const;

  // Returns the symbols of a section of a symbol-table type, or of .symtab without an argument; an
  // empty table if it does not exist.
  [[nodiscard]] SymbolTable symbols(const Section &table) const;
  [[nodiscard]] SymbolTable symbols() const;
  // Returns the symbol table that sh_link of a relocation, info or call-graph section names.
  [[nodiscard]] SymbolTable linked_symbols(const Section &user) const;

  // Returns the entries of a section of a relocation type; an empty table for other types.
  [[nodiscard]] RelocationTable relocations(const Section &table) const;
  // True if tables of a device file may have entries of that type. May be true without such
  // entries.
  [[nodiscard]] bool may_have_relocations(u32 type) const {
    return relocation_types_[std::min(type, kOtherTypes)];
  }
  // Returns the section that sh_info names in a relocation section or with SHF_INFO_LINK, or null.
  [[nodiscard]] const Section *info_section(const Section &user) const;

  // Returns this file with another section table, for a second set of tables inside a file.
  // Precondition: all indices are valid in `sections`.
  [[nodiscard]] ElfView with_sections(std::vector<Section> sections) const {
    ElfView out = *this;
    out.sections_ = std::move(sections);
    return out;
  }

private:
  friend class ElfParser;
  ElfView() = default;
  [[nodiscard]] ByteSpan extended_indices(u32 symbol_table) const;
  [[nodiscard]] u32 symbol_count(const Section &table) const;

  ByteSpan file_;
  FileHeader header_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
  std::vector<Error> violations_;
  static constexpr u32 kOtherTypes = 255; // the last of relocation_types_, for all higher types
  std::array<bool, kOtherTypes + 1> relocation_types_{};
  u32 symtab_ = 0;                            // section index of .symtab, or 0
  std::vector<std::pair<u32, u32>> extended_; // (symbol table, its SHT_SYMTAB_SHNDX section)
};

inline u32 ElfView::symbol_count(const Section &table) const {
  if (!is_symbol_table(table.type))
    return 0;
  return static_cast<u32>(table.data.size() / symbol_entry_size(header_.elf_class()));
}

inline RelocationTable ElfView::relocations(const Section &table) const {
  if (!is_relocation_table(table.type))
    return {};
  return {header_.elf_class(), is_rela(table.type), symbol_count(sections_[table.link]),
          table.data};
}

// Returns the name and index of a section for messages, or the index alone.
[[nodiscard]] std::string describe_section(const Section &section);

} // namespace culink::elf
