// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes an ElfView from bytes: checks every rule that accessors rely on, once. Strict and tolerant
// views share the parser. It continues after a violation that only concerns a part of the file: it
// records the violation and substitutes a safe value (no data, no link, no name). Then
// ElfView::open fails if a violation was recorded; ElfView::open_tolerant passes the list to an
// inspector. A rule that is violated many times in one table is recorded once, with the number of
// violations.
//
// Some properties are deliberately not checked, because files that tools accept violate them:
// overlapping sections (Mercury mirrors share bytes), gaps, repeated names. `cubin verify` has
// rules for these.

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/header_fields.h"
#include "support/bytes.h"

namespace culink::elf {

// Reports the first of many equal violations in a table, with their number, at the end.
class RepeatedViolation {
public:
  RepeatedViolation(std::vector<Error> &out, const Section &table) : out_(out), table_(table) {}
  ~RepeatedViolation() {
    if (!first_)
      return;
    if (count_ > 1)
      first_->message += " (and " + std::to_string(count_ - 1) + " more in this table)";
    out_.push_back(std::move(*first_));
  }
  RepeatedViolation(const RepeatedViolation &) = delete;
  RepeatedViolation &operator=(const RepeatedViolation &) = delete;

  template <typename MakeField, typename MakeMessage>
  void add(MakeField make_field, MakeMessage make_message) {
    if (count_++ == 0)
      first_ = Error{describe_section(table_), make_field(), make_message()};
  }

private:
  std::vector<Error> &out_;
  const Section &table_;
  std::optional<Error> first_;
  u64 count_ = 0;
};

class ElfParser {
public:
  explicit ElfParser(ByteSpan file) { view_.file_ = file; }

  [[nodiscard]] Result<ElfView> run();
  [[nodiscard]] Result<ElfView> run_sections();

private:
  [[nodiscard]] std::optional<Error> read_header();
  void read_section_table();
  template <typename Shdr> void read_sections(const u8 *table);
  void check_sections(u64 names_end);
  void read_segments();
  void check_tables();
  void check_entries(const Section &table, u64 entry);
  void check_symbol_table(const Section &table);
  void check_symbols(const Section &table, const SymbolTable &symbols, u64 names_end);
  void correct_stale_links();
  void check_extended_indices(const Section &indices);
  void check_relocation_table(const Section &table);

  [[nodiscard]] bool is_64() const { return view_.header_.elf_class() == ElfClass::Elf64; }
  template <typename... Args>
  [[gnu::cold]] void violation(std::string place, const char *field,
                               fmt::format_string<const Args &...> text, const Args &...args) {
    view_.violations_.push_back({std::move(place), field, fmt::format(text, args...)});
  }
  template <typename... Args>
  [[gnu::cold]] void violation(const Section &place, const char *field,
                               fmt::format_string<const Args &...> text, const Args &...args) {
    violation(describe_section(place), field, text, args...);
  }

  ElfView view_;
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
    header_fields(load_le<wire::Ehdr64>(file.data()), view_.header_, LoadField{});
  else
    header_fields(load_le<wire::Ehdr32>(file.data()), view_.header_, LoadField{});
  return std::nullopt;
}

void ElfParser::read_section_table() {
  FileHeader &h = view_.header_;
  if (h.shoff == 0) {
    if (h.shnum != 0)
      violation("ELF header", "e_shoff", "is 0, but e_shnum says {}", h.shnum);
    return;
  }
  const u64 entry = is_64() ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32);
  if (h.shentsize != entry) {
    violation("ELF header", "e_shentsize", "is {}, not {}", h.shentsize, entry);
    return;
  }
  const ByteSpan file = view_.file_;
  if (h.shoff > file.size() || file.size() - h.shoff < entry) {
    violation("ELF header", "e_shoff", "section table at {:#x} lies outside the file ({:#x} bytes)",
              h.shoff, file.size());
    return;
  }
  // Section 0 holds the actual count and name-table index if they do not fit the header.
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
              "{} section headers at {:#x} do not fit the file ({:#x} bytes)", count, h.shoff,
              file.size());
    count = std::min<u64>(fitting, 0x7fffffff);
  }
  h.section_count = static_cast<u32>(count);
  if (name_section >= std::max<u64>(count, 1)) {
    violation("ELF header", "e_shstrndx", "{} is not a section (there are {})", name_section,
              count);
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
  for (u32 i = 0; i < h.section_count; ++i)
    view_.sections_.push_back(
        widen_section(load_le<Shdr>(table + u64{i} * sizeof(Shdr)), i, strings));
  check_sections(strings.size());
}

void ElfParser::check_sections(u64 names_end) {
  const u32 count = view_.header_.section_count;
  const u32 names = view_.header_.name_section;
  RepeatedViolation bad_names(view_.violations_, view_.sections_[names]);
  for (Section &s : view_.sections_) {
    const bool inactive = s.type == SectionType::Null; // section 0 may hold the actual counts
    if (!s.no_data()) {
      if (const std::optional<ByteSpan> data = slice(view_.file_, s.offset, s.size))
        s.data = *data;
      else
        violation(s, "sh_offset, sh_size", "bytes {:#x} + {:#x} lie outside the file ({:#x} bytes)",
                  s.offset, s.size, view_.file_.size());
    }
    if (s.link >= count) {
      if (!inactive)
        violation(s, "sh_link", "{} is not a section (there are {})", s.link, count);
      s.link = 0;
    }
    if (s.info >= count && ((s.flags & kFlagInfoLink) != 0 || is_relocation_table(s.type))) {
      if (!inactive)
        violation(s, "sh_info", "{} is not a section (there are {})", s.info, count);
      s.info = 0;
    }
    // nvlink -r of its own outputs aligns shared memory to sums such as 48, and reads these.
    if (s.align != 0 && !is_power_of_two(s.align) && s.type != SectionType::CudaShared &&
        s.type != SectionType::Nobits) {
      violation(s, "sh_addralign", "{:#x} is not a power of two", s.align);
      s.align = 1;
    }
    if (s.name_offset >= names_end && names != 0)
      bad_names.add([&] { return fmt::format("sh_name of section {}", s.index); },
                    [&] {
                      return fmt::format("no string at {:#x} in a name table of {:#x} bytes",
                                         s.name_offset, names_end);
                    });
  }
}

void ElfParser::read_segments() {
  const FileHeader &h = view_.header_;
  if (h.phnum == 0)
    return;
  const u64 entry = is_64() ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32);
  if (h.phentsize != entry) {
    violation("ELF header", "e_phentsize", "is {}, not {}", h.phentsize, entry);
    return;
  }
  const std::optional<ByteSpan> table = slice(view_.file_, h.phoff, h.phnum * entry);
  if (!table) {
    violation("ELF header", "e_phoff",
              "{} program headers at {:#x} do not fit the file ({:#x} bytes)", h.phnum, h.phoff,
              view_.file_.size());
    return;
  }
  const auto widen = [](const auto &raw) {
    Segment out;
    header_fields(raw, out, LoadField{});
    return out;
  };
  for (u32 i = 0; i < h.phnum; ++i) {
    const u8 *p = table->data() + i * entry;
    const Segment segment =
        is_64() ? widen(load_le<wire::Phdr64>(p)) : widen(load_le<wire::Phdr32>(p));
    if (!slice(view_.file_, segment.offset, segment.filesz))
      violation(fmt::format("program header {}", i), "p_offset, p_filesz",
                "bytes {:#x} + {:#x} lie outside the file ({:#x} bytes)", segment.offset,
                segment.filesz, view_.file_.size());
    view_.segments_.push_back(segment);
  }
}

void ElfParser::check_tables() {
  // Extended indices come first, because reading symbol tables requires them.
  for (const Section &section : view_.sections_)
    if (section.type == SectionType::SymtabShndx)
      check_extended_indices(section);
  for (const Section &section : view_.sections_)
    if (is_symbol_table(section.type))
      check_symbol_table(section);
  correct_stale_links();
  for (const Section &section : view_.sections_)
    if (is_relocation_table(section.type))
      check_relocation_table(section);
}

// In images of nvlink 12.1 and 12.3, links to the symbol table use section numbers of an earlier
// order: .nv.info names a section without symbols, usually itself, and all such links are equal. If
// an image has one symbol table, the correct link is clear.
void ElfParser::correct_stale_links() {
  const FileHeader &h = view_.header_;
  if (h.type != FileType::Executable || !h.is_cuda() || h.ident[kIdentOsAbi] != kOsAbiCudaOld)
    return;
  std::vector<Section> &sections = view_.sections_;
  const auto info = std::ranges::find(sections, SectionType::CudaInfo, &Section::type);
  const u32 stale = info == sections.end() ? 0 : info->link;
  if (stale == 0 || view_.symtab_ == 0 || is_symbol_table(sections[stale].type) ||
      std::ranges::count_if(sections, is_symbol_table, &Section::type) != 1)
    return;
  for (Section &section : sections)
    if (section.link == stale && section.index != view_.symtab_)
      section.link = view_.symtab_;
}

void ElfParser::check_extended_indices(const Section &indices) {
  const Section &table = view_.sections_[indices.link];
  if (!is_symbol_table(table.type)) {
    violation(indices, "sh_link", "{} is not a symbol table", describe_section(table));
    return;
  }
  view_.extended_.emplace_back(table.index, indices.index);
  const u32 symbols = view_.symbols(table).size();
  if (indices.data.size() != u64{symbols} * 4)
    violation(indices, "sh_size", "{:#x} bytes for {} symbols", indices.data.size(), symbols);
}

void ElfParser::check_entries(const Section &table, u64 entry) {
  if (table.entsize != entry)
    violation(table, "sh_entsize", "is {}, not {}", table.entsize, entry);
  if (table.data.size() % entry != 0)
    violation(table, "sh_size", "{:#x} is not a multiple of {}", table.data.size(), entry);
}

void ElfParser::check_symbol_table(const Section &table) {
  if (table.type == SectionType::Symtab) {
    if (view_.symtab_ == 0)
      view_.symtab_ = table.index;
    else
      violation(table, "sh_type", "second symbol table, the first is {}",
                describe_section(view_.sections_[view_.symtab_]));
  }
  check_entries(table, symbol_entry_size(view_.header_.elf_class()));
  const Section &strings = view_.sections_[table.link];
  if (strings.type != SectionType::Strtab)
    violation(table, "sh_link", "{} is not a string table", describe_section(strings));

  const u64 names_end = terminated_strings(strings.data).size();
  if (names_end != strings.data.size())
    violation(strings, "", "string table does not end with a NUL byte");

  const SymbolTable symbols = view_.symbols(table);
  if (table.info > symbols.size())
    violation(table, "sh_info", "first global symbol {} of {} symbols", table.info, symbols.size());
  check_symbols(table, symbols, names_end);
}

void ElfParser::check_symbols(const Section &table, const SymbolTable &symbols, u64 names_end) {
  const u32 section_count = view_.header_.section_count;
  const u64 names_size = view_.sections_[table.link].data.size();
  const ByteSpan extended = view_.extended_indices(table.index);
  RepeatedViolation bad_name(view_.violations_, table), bad_section(view_.violations_, table);
  for (u32 i = 0; i < symbols.size(); ++i) {
    const Symbol symbol = symbols.without_name(i);
    if (symbol.name_offset != 0 && symbol.name_offset >= names_end)
      bad_name.add([&] { return fmt::format("st_name of symbol {}", i); },
                   [&] {
                     return fmt::format("no string at {:#x} in a string table of {:#x} bytes",
                                        symbol.name_offset, names_size);
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

void ElfParser::check_relocation_table(const Section &table) {
  const bool has_addends = is_rela(table.type);
  check_entries(table, relocation_entry_size(view_.header_.elf_class(), has_addends));
  // Host executables link their tables to .dynsym and use addresses as offsets, so only device
  // files are checked.
  if (!view_.header_.is_cuda())
    return;
  const Section &symbol_section = view_.sections_[table.link];
  if (!is_symbol_table(symbol_section.type)) {
    violation(table, "sh_link", "{} is not a symbol table", describe_section(symbol_section));
    return;
  }
  const u32 symbol_count = view_.symbol_count(symbol_section);
  const RelocationTable raw(view_.header_.elf_class(), has_addends, 0xffffffff, table.data);
  const Section &target = view_.sections_[table.info];
  // Offsets of Mercury relocations refer to the expanded capsule, not to the section's bytes. A
  // list of resolved relocations may belong to several sections of one name and only name one
  // (Q113).
  const bool any_offset = table.is_mercury() || table.type == SectionType::CudaResolvedRela;
  RepeatedViolation bad_symbol(view_.violations_, table), bad_offset(view_.violations_, table);
  for (u32 i = 0; i < raw.size(); ++i) {
    const Relocation r = raw[i];
    view_.relocation_types_[std::min(r.type, ElfView::kOtherTypes)] = true;
    if (r.symbol >= std::max(symbol_count, 1u))
      bad_symbol.add(
          [&] { return fmt::format("r_info of entry {}", i); },
          [&] { return fmt::format("{} is not a symbol (there are {})", r.symbol, symbol_count); });
    if (!any_offset && r.offset >= target.size)
      bad_offset.add([&] { return fmt::format("r_offset of entry {}", i); },
                     [&] {
                       return fmt::format("{:#x} lies outside {} ({:#x} bytes)", r.offset,
                                          describe_section(target), target.size);
                     });
  }
}

namespace {

Result<ElfView> strict(Result<ElfView> view) {
  if (view && !view->violations().empty())
    return view->violations().front();
  return view;
}

} // namespace

Result<ElfView> ElfView::open(ByteSpan file) {
  return strict(ElfParser(file).run());
}

Result<ElfView> ElfView::open_sections(ByteSpan file) {
  return strict(ElfParser(file).run_sections());
}

Result<ElfView> ElfView::open_tolerant(ByteSpan file) {
  return ElfParser(file).run();
}

} // namespace culink::elf
