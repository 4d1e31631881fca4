// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bytes to ElfView: every rule that accessors rely on is checked here, once. There is one
// parser for strict and tolerant views. It never stops at a violation that concerns only part of
// the file: it records the violation, substitutes a value that keeps the view sound (no data, no
// link, no name) and goes on. ElfView::open then refuses if anything was recorded;
// ElfView::open_tolerant hands the list to an inspector. A rule violated many times in one table is
// recorded once, with a count.
//
// Deliberately not checked here, because files that tools accept break them: overlapping sections
// (Mercury mirrors share bytes), gaps, names that repeat. `cubin verify` has rules for those.
#include "elf/elf_view.h"

#include "base/bytes.h"
#include "elf/section_fields.h"
#include "elf/wire.h"

#include <fmt/format.h>

namespace culink::elf {

class ElfParser {
public:
  explicit ElfParser(ByteSpan file) { view_.file_ = file; }

  [[nodiscard]] Result<ElfView> run();
  [[nodiscard]] Result<ElfView> run_sections();

private:
  [[nodiscard]] std::optional<Error> read_header();
  template <typename Ehdr> void widen_header(const Ehdr &raw);
  void read_section_table();
  template <typename Shdr> void read_sections(const u8 *table);
  void check_section(Section &s);
  void correct_section(Section &s);
  void list_table(const Section &s);
  void read_segments();
  void check_tables();
  void check_symbol_table(const Section &table);
  void check_extended_indices(const Section &indices);
  void check_relocation_table(const Section &table);
  [[nodiscard]] u64 end_of_offsets(const Section &table) const;
  void report_entries(const Section &table, const RelocationTable &raw, u32 symbol_count);

  [[nodiscard]] bool is_64() const { return view_.header_.elf_class() == ElfClass::Elf64; }
  void violation(std::string place, std::string field, std::string message) {
    view_.violations_.push_back({std::move(place), std::move(field), std::move(message)});
  }

  // Reports the first of many equal violations and how often it occurred.
  class Repeated {
  public:
    Repeated(ElfParser &parser, u32 section) : parser_(parser), section_(section) {}
    ~Repeated() {
      if (count_ == 0)
        return;
      if (count_ > 1)
        message_ += fmt::format(" (and {} more in this table)", count_ - 1);
      parser_.violation(describe_section(parser_.view_.sections_[section_]), std::move(field_),
                        std::move(message_));
    }
    Repeated(const Repeated &) = delete;
    Repeated &operator=(const Repeated &) = delete;
    template <typename MakeField, typename MakeMessage>
    void add(MakeField make_field, MakeMessage make_message) {
      if (count_++ == 0) {
        field_ = make_field();
        message_ = make_message();
      }
    }

  private:
    ElfParser &parser_;
    u32 section_;
    std::string field_, message_;
    u64 count_ = 0;
  };

  ElfView view_;
  // Sections that are tables, by their numbers.
  std::vector<u32> extended_tables_;
  std::vector<u32> symbol_tables_;
  std::vector<u32> relocation_tables_;
};

Result<ElfView> ElfParser::run() {
  if (std::optional<Error> error = read_header())
    return std::move(*error);
  read_section_table();
  read_segments();
  check_tables();
  return std::move(view_);
}

Result<ElfView> ElfParser::run_sections() {
  if (std::optional<Error> error = read_header())
    return std::move(*error);
  read_section_table();
  return std::move(view_);
}

template <typename Ehdr> void ElfParser::widen_header(const Ehdr &raw) {
  FileHeader &h = view_.header_;
  std::memcpy(h.ident, raw.e_ident, sizeof(h.ident));
  h.type = static_cast<FileType>(raw.e_type);
  h.machine = raw.e_machine;
  h.version = raw.e_version;
  h.entry = raw.e_entry;
  h.phoff = raw.e_phoff;
  h.shoff = raw.e_shoff;
  h.flags = raw.e_flags;
  h.ehsize = raw.e_ehsize;
  h.phentsize = raw.e_phentsize;
  h.phnum = raw.e_phnum;
  h.shentsize = raw.e_shentsize;
  h.shnum = raw.e_shnum;
  h.shstrndx = raw.e_shstrndx;
}

std::optional<Error> ElfParser::read_header() {
  const ByteSpan file = view_.file_;
  const auto refuse = [](std::string field, std::string message) {
    return Error{"ELF header", std::move(field), std::move(message)};
  };
  if (file.size() < 16 || std::memcmp(file.data(), kElfMagic, sizeof(kElfMagic)) != 0)
    return refuse("e_ident", "not an ELF file (magic bytes missing)");
  const u8 elf_class = file[kIdentClass];
  if (elf_class != static_cast<u8>(ElfClass::Elf64) &&
      elf_class != static_cast<u8>(ElfClass::Elf32))
    return refuse("EI_CLASS", fmt::format("{} is neither ELF32 (1) nor ELF64 (2)", elf_class));
  if (file[kIdentData] == kDataBigEndian)
    return refuse("EI_DATA", "big-endian ELF files are not supported");
  if (file[kIdentData] != kDataLittleEndian)
    return refuse("EI_DATA", fmt::format("{} is not little-endian (1)", file[kIdentData]));

  const bool wide = elf_class == static_cast<u8>(ElfClass::Elf64);
  const u64 need = wide ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32);
  if (file.size() < need)
    return refuse("", fmt::format("file ends after {} of {} header bytes", file.size(), need));
  if (wide)
    widen_header(load_le<wire::Ehdr64>(file.data()));
  else
    widen_header(load_le<wire::Ehdr32>(file.data()));
  return std::nullopt;
}

void ElfParser::read_section_table() {
  FileHeader &h = view_.header_;
  if (h.shoff == 0) {
    if (h.shnum != 0)
      violation("ELF header", "e_shoff", fmt::format("is 0, but e_shnum says {}", h.shnum));
    return;
  }
  const u64 entry = is_64() ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32);
  if (h.shentsize != entry) {
    violation("ELF header", "e_shentsize", fmt::format("is {}, not {}", h.shentsize, entry));
    return;
  }
  const ByteSpan file = view_.file_;
  if (h.shoff > file.size() || file.size() - h.shoff < entry) {
    violation("ELF header", "e_shoff",
              fmt::format("section table at {:#x} lies outside the file ({:#x} bytes)", h.shoff,
                          file.size()));
    return;
  }
  // Section 0 holds the true count and name-table index when they do not fit the header.
  const u8 *first = file.data() + h.shoff;
  u64 count = h.shnum;
  u64 name_section = h.shstrndx;
  if (h.shnum == 0)
    count = is_64() ? load_le<wire::Shdr64>(first).sh_size : load_le<wire::Shdr32>(first).sh_size;
  if (h.shstrndx == kSectionXindex)
    name_section = load_le<u32>(first + (is_64() ? 40 : 24));

  const u64 fitting = (file.size() - h.shoff) / entry;
  if (count > fitting || count > 0x7fffffff) {
    violation("ELF header", h.shnum == 0 ? "section count in section 0" : "e_shnum",
              fmt::format("{} section headers at {:#x} do not fit the file ({:#x} bytes)", count,
                          h.shoff, file.size()));
    count = std::min<u64>(fitting, 0x7fffffff);
  }
  h.section_count = static_cast<u32>(count);
  if (name_section >= std::max<u64>(count, 1)) {
    violation("ELF header", "e_shstrndx",
              fmt::format("{} is not a section (there are {})", name_section, count));
    name_section = 0;
  }
  h.name_section = static_cast<u32>(name_section);
  if (count == 0)
    return;
  if (is_64())
    read_sections<wire::Shdr64>(first);
  else
    read_sections<wire::Shdr32>(first);
}

// Reads and checks each section in one walk, its name first, so that messages can use it.
template <typename Shdr> void ElfParser::read_sections(const u8 *table) {
  const FileHeader &h = view_.header_;
  ByteSpan strings;
  if (h.name_section != 0) {
    const Shdr names = load_le<Shdr>(table + h.name_section * sizeof(Shdr));
    if (!has_no_file_data(static_cast<SectionType>(names.sh_type)))
      strings = terminated_strings(
          slice(view_.file_, names.sh_offset, names.sh_size).value_or(ByteSpan{}));
  }
  view_.sections_.reserve(h.section_count);
  Repeated bad_names(*this, h.name_section);
  for (u32 i = 0; i < h.section_count; ++i) {
    const Shdr raw = load_le<Shdr>(table + i * sizeof(Shdr));
    Section &s = view_.sections_.emplace_back();
    fill_fields(s, raw, i, strings);
    check_section(s);
    list_table(s);
    if (s.name_offset >= strings.size() && h.name_section != 0)
      bad_names.add([&] { return fmt::format("sh_name of section {}", i); },
                    [&] {
                      return fmt::format("no string at {:#x} in a name table of {:#x} bytes",
                                         s.name_offset, strings.size());
                    });
  }
}

// The quick test: files have many sections, and nearly all are valid.
inline void ElfParser::check_section(Section &s) {
  const u32 count = view_.header_.section_count;
  const std::optional<ByteSpan> data =
      s.no_data() ? ByteSpan{} : slice(view_.file_, s.offset, s.size);
  const bool info_is_section = (s.flags & kFlagInfoLink) != 0 || is_relocation_table(s.type);
  const bool any_align = s.align == 0 || is_power_of_two(s.align);
  if (data && s.link < count && !(info_is_section && s.info >= count) && any_align)
    s.data = *data;
  else
    correct_section(s);
}

void ElfParser::correct_section(Section &s) {
  const u32 count = view_.header_.section_count;
  const bool inactive = s.type == SectionType::Null; // section 0 may hold the true counts
  if (!s.no_data()) {
    if (const std::optional<ByteSpan> data = slice(view_.file_, s.offset, s.size))
      s.data = *data;
    else
      violation(describe_section(s), "sh_offset, sh_size",
                fmt::format("bytes {:#x} + {:#x} lie outside the file ({:#x} bytes)", s.offset,
                            s.size, view_.file_.size()));
  }
  if (s.link >= count) {
    if (!inactive)
      violation(describe_section(s), "sh_link",
                fmt::format("{} is not a section (there are {})", s.link, count));
    s.link = 0;
  }
  const bool info_is_section = (s.flags & kFlagInfoLink) != 0 || is_relocation_table(s.type);
  if (info_is_section && s.info >= count) {
    if (!inactive)
      violation(describe_section(s), "sh_info",
                fmt::format("{} is not a section (there are {})", s.info, count));
    s.info = 0;
  }
  // nvlink -r of a file made by nvlink -r sums up to alignments such as 48 for shared memory, and
  // reads them back.
  const bool any_align = s.type == SectionType::CudaShared || s.type == SectionType::Nobits;
  if (s.align != 0 && !is_power_of_two(s.align) && !any_align) {
    violation(describe_section(s), "sh_addralign",
              fmt::format("{:#x} is not a power of two", s.align));
    s.align = 1;
  }
}

inline void ElfParser::list_table(const Section &s) {
  if (is_relocation_table(s.type))
    relocation_tables_.push_back(s.index);
  else if (is_symbol_table(s.type))
    symbol_tables_.push_back(s.index);
  else if (s.type == SectionType::SymtabShndx)
    extended_tables_.push_back(s.index);
}

void ElfParser::read_segments() {
  const FileHeader &h = view_.header_;
  if (h.phnum == 0)
    return;
  const u64 entry = is_64() ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32);
  if (h.phentsize != entry) {
    violation("ELF header", "e_phentsize", fmt::format("is {}, not {}", h.phentsize, entry));
    return;
  }
  const std::optional<ByteSpan> table = slice(view_.file_, h.phoff, h.phnum * entry);
  if (!table) {
    violation("ELF header", "e_phoff",
              fmt::format("{} program headers at {:#x} do not fit the file ({:#x} bytes)", h.phnum,
                          h.phoff, view_.file_.size()));
    return;
  }
  const auto widen = [](const auto &raw) {
    return Segment{static_cast<SegmentType>(raw.p_type),
                   raw.p_flags,
                   raw.p_offset,
                   raw.p_vaddr,
                   raw.p_paddr,
                   raw.p_filesz,
                   raw.p_memsz,
                   raw.p_align};
  };
  for (u32 i = 0; i < h.phnum; ++i) {
    const u8 *p = table->data() + i * entry;
    const Segment segment =
        is_64() ? widen(load_le<wire::Phdr64>(p)) : widen(load_le<wire::Phdr32>(p));
    if (!slice(view_.file_, segment.offset, segment.filesz))
      violation(fmt::format("program header {}", i), "p_offset, p_filesz",
                fmt::format("bytes {:#x} + {:#x} lie outside the file ({:#x} bytes)",
                            segment.offset, segment.filesz, view_.file_.size()));
    view_.segments_.push_back(segment);
  }
}

void ElfParser::check_tables() {
  // Extended indices first: symbol tables are read through them.
  for (const u32 index : extended_tables_)
    check_extended_indices(view_.sections_[index]);
  for (const u32 index : symbol_tables_)
    check_symbol_table(view_.sections_[index]);
  for (const u32 index : relocation_tables_)
    check_relocation_table(view_.sections_[index]);
}

void ElfParser::check_extended_indices(const Section &indices) {
  const Section &table = view_.sections_[indices.link];
  if (!is_symbol_table(table.type)) {
    violation(describe_section(indices), "sh_link",
              fmt::format("{} is not a symbol table", describe_section(table)));
    return;
  }
  view_.extended_.emplace_back(table.index, indices.index);
  const u32 symbols = view_.symbols(table).size();
  if (indices.data.size() != u64{symbols} * 4)
    violation(describe_section(indices), "sh_size",
              fmt::format("{:#x} bytes for {} symbols", indices.data.size(), symbols));
}

void ElfParser::check_symbol_table(const Section &table) {
  if (table.type == SectionType::Symtab) {
    if (view_.symtab_ == 0)
      view_.symtab_ = table.index;
    else
      violation(describe_section(table), "sh_type",
                fmt::format("second symbol table, the first is {}",
                            describe_section(view_.sections_[view_.symtab_])));
  }
  const u64 entry = is_64() ? sizeof(wire::Sym64) : sizeof(wire::Sym32);
  if (table.entsize != entry)
    violation(describe_section(table), "sh_entsize",
              fmt::format("is {}, not {}", table.entsize, entry));
  if (table.data.size() % entry != 0)
    violation(describe_section(table), "sh_size",
              fmt::format("{:#x} is not a multiple of {}", table.data.size(), entry));
  const Section &strings = view_.sections_[table.link];
  if (strings.type != SectionType::Strtab)
    violation(describe_section(table), "sh_link",
              fmt::format("{} is not a string table", describe_section(strings)));

  const u64 names_end = terminated_strings(strings.data).size();
  if (names_end != strings.data.size())
    violation(describe_section(strings), "", "string table does not end with a NUL byte");

  const u32 section_count = view_.header_.section_count;
  const ByteSpan extended = view_.extended_indices(table.index);
  const SymbolTable symbols = view_.symbols(table);
  if (table.info > symbols.size())
    violation(describe_section(table), "sh_info",
              fmt::format("first global symbol {} of {} symbols", table.info, symbols.size()));
  Repeated bad_name(*this, table.index), bad_section(*this, table.index);
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.without_name(i);
    if (symbol.name_offset != 0 && symbol.name_offset >= names_end)
      bad_name.add([&] { return fmt::format("st_name of symbol {}", i); },
                   [&] {
                     return fmt::format("no string at {:#x} in a string table of {:#x} bytes",
                                        symbol.name_offset, strings.data.size());
                   });
    const u32 stored = symbol.raw_section == kSectionXindex
                           ? load_at<u32>(extended, u64{i} * 4).value_or(0xffffffff)
                           : symbol.raw_section;
    const bool special =
        symbol.raw_section >= kSectionLoReserve && symbol.raw_section != kSectionXindex;
    if (!special && stored >= std::max(section_count, 1u))
      bad_section.add([&] { return fmt::format("st_shndx of symbol {} '{}'", i, symbols[i].name); },
                      [&] {
                        return stored == 0xffffffff
                                   ? std::string("needs an extended section index that is missing")
                                   : fmt::format("{} is not a section (there are {})", stored,
                                                 section_count);
                      });
  }
}

// The end of the offsets that a table may have. Those of Mercury relocations count bytes of the
// expanded capsule, not of the section. A list of resolved relocations may belong to several
// sections of one name and names one of them (Q113).
u64 ElfParser::end_of_offsets(const Section &table) const {
  const bool any = table.is_mercury() || table.type == SectionType::CudaResolvedRela;
  return any ? ~u64{0} : view_.sections_[table.info].size;
}

void ElfParser::check_relocation_table(const Section &table) {
  const bool has_addends = is_rela(table.type);
  const u64 entry = is_64() ? (has_addends ? sizeof(wire::Rela64) : sizeof(wire::Rel64))
                            : (has_addends ? sizeof(wire::Rela32) : sizeof(wire::Rel32));
  if (table.entsize != entry)
    violation(describe_section(table), "sh_entsize",
              fmt::format("is {}, not {}", table.entsize, entry));
  if (table.data.size() % entry != 0)
    violation(describe_section(table), "sh_size",
              fmt::format("{:#x} is not a multiple of {}", table.data.size(), entry));
  // Host executables link their tables to .dynsym and use addresses as offsets, so only device
  // files are checked.
  if (!view_.header_.is_cuda())
    return;
  const Section &symbol_section = view_.sections_[table.link];
  if (!is_symbol_table(symbol_section.type)) {
    violation(describe_section(table), "sh_link",
              fmt::format("{} is not a symbol table", describe_section(symbol_section)));
    return;
  }
  const u32 symbol_count = view_.symbol_count(symbol_section);
  const u64 end = end_of_offsets(table);
  // The widest index any entry can have lets the table decode what is stored.
  const RelocationTable raw(view_.header_.elf_class(), has_addends, 0xffffffff, table.data);
  u32 last_symbol = 0;
  u64 last_offset = 0;
  for (u32 i = 0; i < raw.size(); ++i) {
    const Relocation r = raw[i];
    view_.relocation_types_[std::min(r.type, ElfView::kOtherTypes)] = true;
    last_symbol = std::max(last_symbol, r.symbol);
    last_offset = std::max(last_offset, r.offset);
  }
  if (!raw.empty() && (last_symbol >= std::max(symbol_count, 1u) || last_offset >= end))
    report_entries(table, raw, symbol_count);
}

// Reports the entries that are out of range.
void ElfParser::report_entries(const Section &table, const RelocationTable &raw, u32 symbol_count) {
  const Section &target = view_.sections_[table.info];
  const u64 end = end_of_offsets(table);
  Repeated bad_symbol(*this, table.index), bad_offset(*this, table.index);
  for (u32 i = 0; i < raw.size(); ++i) {
    const Relocation r = raw[i];
    if (r.symbol >= std::max(symbol_count, 1u))
      bad_symbol.add(
          [&] { return fmt::format("r_info of entry {}", i); },
          [&] { return fmt::format("{} is not a symbol (there are {})", r.symbol, symbol_count); });
    if (r.offset >= end)
      bad_offset.add([&] { return fmt::format("r_offset of entry {}", i); },
                     [&] {
                       return fmt::format("{:#x} lies outside {} ({:#x} bytes)", r.offset,
                                          describe_section(target), target.size);
                     });
  }
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
    const auto section = load_le<wire::Shdr64>(table->data() + at);
    if (!has_no_file_data(static_cast<SectionType>(section.sh_type)) &&
        !slice(file, section.sh_offset, section.sh_size))
      return false;
  }
  return header->e_shnum != 0;
}

Result<ElfView> ElfView::open(ByteSpan file) {
  Result<ElfView> view = ElfParser(file).run();
  if (view && !view->violations_.empty())
    return view->violations_.front();
  return view;
}

Result<ElfView> ElfView::open_sections(ByteSpan file) {
  Result<ElfView> view = ElfParser(file).run_sections();
  if (view && !view->violations_.empty())
    return view->violations_.front();
  return view;
}

Result<ElfView> ElfView::open_tolerant(ByteSpan file) {
  return ElfParser(file).run();
}

} // namespace culink::elf
