// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bytes to ElfView: every rule that accessors rely on is checked here, once. There is one
// parser for strict and tolerant views. It never stops at a violation that concerns only part of
// the file: it records the violation, substitutes a value that keeps the view sound (no data, no
// link, no name) and goes on. ElfView::open then refuses if anything was recorded;
// ElfView::open_tolerant hands the list to an inspector. A rule violated many times in one table is
// recorded once, with a count.
//
// Nearly all files are valid, and a large one has megabytes of tables. So all threads of the caller
// only find out whether a table is; one that is not is read again from its beginning, by one
// thread, for the messages.
//
// Deliberately not checked here, because files that tools accept break them: overlapping sections
// (Mercury mirrors share bytes), gaps, names that repeat. `cubin verify` has rules for those.
#include "elf/elf_parser.h"

#include "base/bytes.h"
#include "elf/repeated_violation.h"
#include "elf/section_fields.h"
#include "elf/type_keys.h"

#include <fmt/format.h>

namespace culink::elf {

namespace {

constexpr u32 kSectionsAtOnce = 512; // by one thread

// What the parser has to know of a type, as bits: a table instead of comparisons with each type.
constexpr u8 kNoData = 1, kRelocations = 2, kSymbols = 4, kExtendedIndices = 8;
constexpr u8 kTable = kRelocations | kSymbols | kExtendedIndices;
constexpr std::array<u8, kTypeKeys> kUses = [] {
  std::array<u8, kTypeKeys> out{};
  for (u32 key = 0; key < kUnknownType; ++key) {
    const SectionType type = type_of_key(key);
    out[key] = static_cast<u8>((has_no_file_data(type) ? kNoData : 0) |
                               (is_relocation_table(type) ? kRelocations : 0) |
                               (is_symbol_table(type) ? kSymbols : 0) |
                               (type == SectionType::SymtabShndx ? kExtendedIndices : 0));
  }
  return out;
}();
static_assert(type_key(SectionType::SymtabShndx) != kUnknownType);
static_assert(type_key(SectionType::MercuryPrototype) != kUnknownType);

inline u8 uses_of(SectionType type) {
  return kUses[type_key(type)];
}

} // namespace

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

template <typename Shdr> void ElfParser::read_sections(const u8 *table) {
  const FileHeader &h = view_.header_;
  ByteSpan strings;
  if (h.name_section != 0) {
    const Shdr names = load_le<Shdr>(table + h.name_section * sizeof(Shdr));
    if (!has_no_file_data(static_cast<SectionType>(names.sh_type)))
      strings = terminated_strings(
          slice(view_.file_, names.sh_offset, names.sh_size).value_or(ByteSpan{}));
  }
  view_.sections_.resize(h.section_count);
  tables_.resize(count_ranges(h.section_count, kSectionsAtOnce));
  std::vector<u8> valid(tables_.size(), true);
  pool_.for_ranges(h.section_count, kSectionsAtOnce, [&](u32 begin, u32 end) {
    const u32 range = begin / kSectionsAtOnce;
    valid[range] = read_range<Shdr>(table, begin, end, strings, tables_[range]);
  });
  if (std::ranges::find(valid, 0) != valid.end())
    correct_sections(strings);
}

template <typename Shdr>
bool ElfParser::read_range(const u8 *table, u32 begin, u32 end, ByteSpan strings, Tables &tables) {
  const bool all_named = view_.header_.name_section != 0;
  const Limits limits = {view_.file_, view_.header_.section_count};
  Section *sections = view_.sections_.data();
  bool valid = true;
  for (u32 i = begin; i < end; ++i) {
    Section &s = sections[i];
    fill_fields<Shdr>(s, table + u64{i} * sizeof(Shdr), i, strings);
    if (!s.name.data() && all_named)
      valid = false;
    const u8 uses = uses_of(s.type);
    if (!is_valid(s, uses, limits))
      valid = false;
    if ((uses & kTable) != 0)
      ((uses & kRelocations) != 0 ? tables.relocations
       : (uses & kSymbols) != 0   ? tables.symbols
                                  : tables.extended)
          .push_back(i);
  }
  return valid;
}

// Whether nothing is wrong with a section, whose data then is known.
inline bool ElfParser::is_valid(Section &s, u8 uses, const Limits &limits) {
  const bool has_data = (uses & kNoData) == 0;
  const bool inside = s.offset <= limits.file.size() && s.size <= limits.file.size() - s.offset;
  s.data = has_data && inside ? ByteSpan(limits.file.data() + s.offset, s.size) : ByteSpan{};
  if (has_data && !inside)
    return false;
  if (s.info >= limits.sections && ((s.flags & kFlagInfoLink) != 0 || (uses & kRelocations) != 0))
    return false;
  return s.link < limits.sections && (s.align & (s.align - 1)) == 0;
}

void ElfParser::correct_sections(ByteSpan strings) {
  const u32 names = view_.header_.name_section;
  const Limits limits = {view_.file_, view_.header_.section_count};
  RepeatedViolation bad_names(view_.violations_, view_.sections_[names]);
  for (Section &s : view_.sections_) {
    if (!is_valid(s, uses_of(s.type), limits))
      correct_section(s);
    if (s.name_offset >= strings.size() && names != 0)
      bad_names.add([&] { return fmt::format("sh_name of section {}", s.index); },
                    [&] {
                      return fmt::format("no string at {:#x} in a name table of {:#x} bytes",
                                         s.name_offset, strings.size());
                    });
  }
}

void ElfParser::correct_section(Section &s) {
  const u32 count = view_.header_.section_count;
  const bool inactive = s.type == SectionType::Null; // section 0 may hold the true counts
  if (!s.no_data() && !slice(view_.file_, s.offset, s.size))
    violation(describe_section(s), "sh_offset, sh_size",
              fmt::format("bytes {:#x} + {:#x} lie outside the file ({:#x} bytes)", s.offset,
                          s.size, view_.file_.size()));
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

namespace {

Result<ElfView> strict(Result<ElfView> view) {
  if (view && !view->violations().empty())
    return view->violations().front();
  return view;
}

} // namespace

Result<ElfView> ElfView::open(ByteSpan file, WorkerPool &pool) {
  return strict(ElfParser(file, pool).run());
}

Result<ElfView> ElfView::open(ByteSpan file) {
  WorkerPool alone(1);
  return open(file, alone);
}

Result<ElfView> ElfView::open_sections(ByteSpan file) {
  WorkerPool alone(1);
  return strict(ElfParser(file, alone).run_sections());
}

Result<ElfView> ElfView::open_tolerant(ByteSpan file) {
  WorkerPool alone(1);
  return ElfParser(file, alone).run();
}

} // namespace culink::elf
