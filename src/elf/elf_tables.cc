// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's checks of symbol and relocation tables: that names, symbols, sections and offsets of
// their entries exist, which the accessors of ElfView rely on. Each table is first tested as a
// whole; the entries are looked at one by one only where the test fails, to say which are wrong.
#include "elf/elf_parser.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/repeated_violation.h"

namespace culink::elf {

namespace {

// By one thread.
constexpr u32 kSymbolsAtOnce = 16384;
constexpr u32 kTableRangesAtOnce = 2;

} // namespace

void ElfParser::check_tables() {
  // Extended indices first: symbol tables are read through them.
  for (const Tables &range : tables_)
    for (const u32 index : range.extended)
      check_extended_indices(view_.sections_[index]);
  for (const Tables &range : tables_)
    for (const u32 index : range.symbols)
      check_symbol_table(view_.sections_[index]);
  correct_stale_links();
  check_relocation_tables();
}

// nvlink 12.1 and 12.3 number the symbol table of an image as in an earlier order of the sections:
// .nv.info names a section that has no symbols, usually itself, and all sections with symbols name
// the same one. An image with one symbol table leaves no doubt which is meant.
void ElfParser::correct_stale_links() {
  const FileHeader &h = view_.header_;
  if (h.type != FileType::Executable || !h.is_cuda() || h.ident[kIdentOsAbi] != kOsAbiCudaOld)
    return;
  SectionList &sections = view_.sections_;
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

void ElfParser::check_entries(const Section &table, u64 entry) {
  if (table.entsize != entry)
    violation(describe_section(table), "sh_entsize",
              fmt::format("is {}, not {}", table.entsize, entry));
  if (table.data.size() % entry != 0)
    violation(describe_section(table), "sh_size",
              fmt::format("{:#x} is not a multiple of {}", table.data.size(), entry));
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
  check_entries(table, entry);
  const Section &strings = view_.sections_[table.link];
  if (strings.type != SectionType::Strtab)
    violation(describe_section(table), "sh_link",
              fmt::format("{} is not a string table", describe_section(strings)));

  const u64 names_end = terminated_strings(strings.data).size();
  if (names_end != strings.data.size())
    violation(describe_section(strings), "", "string table does not end with a NUL byte");

  const SymbolTable symbols = view_.symbols(table);
  if (table.info > symbols.size())
    violation(describe_section(table), "sh_info",
              fmt::format("first global symbol {} of {} symbols", table.info, symbols.size()));
  if (!are_valid(table, symbols, names_end))
    report_symbols(table, symbols, names_end);
}

// Whether names and sections of all symbols are.
bool ElfParser::are_valid(const Section &table, const SymbolTable &symbols, u64 names_end) {
  std::vector<u8> valid(count_ranges(symbols.size(), kSymbolsAtOnce), true);
  pool_.for_ranges(symbols.size(), kSymbolsAtOnce, [&](u32 begin, u32 end) {
    valid[begin / kSymbolsAtOnce] = is_64() ? are_valid<wire::Sym64>(table, begin, end, names_end)
                                            : are_valid<wire::Sym32>(table, begin, end, names_end);
  });
  return std::ranges::all_of(valid, [](u8 range) { return range != 0; });
}

// The last name and the last section of some symbols tell that of all.
template <typename Sym>
bool ElfParser::are_valid(const Section &table, u32 begin, u32 end, u64 names_end) const {
  u32 last_name = 0, last_section = 0;
  bool extended = false;
  for (u32 i = begin; i < end; ++i) {
    const u8 *symbol = table.data.data() + u64{i} * sizeof(Sym);
    const u32 section = load_le<u16>(symbol + offsetof(Sym, st_shndx));
    last_name = std::max(last_name, load_le<u32>(symbol + offsetof(Sym, st_name)));
    if (section < kSectionLoReserve)
      last_section = std::max(last_section, section);
    else
      extended |= section == kSectionXindex;
  }
  if (extended) {
    const ByteSpan indices = view_.extended_indices(table.index);
    for (u32 i = begin; i < end; ++i)
      if (load_le<Sym>(table.data.data() + u64{i} * sizeof(Sym)).st_shndx == kSectionXindex) {
        const u32 index = load_at<u32>(indices, u64{i} * 4).value_or(kSectionUndefined);
        if (index == kSectionUndefined) // which is no reason for an index apart
          return false;
        last_section = std::max(last_section, index);
      }
  }
  return (last_name == 0 || last_name < names_end) &&
         last_section < std::max(view_.header_.section_count, 1u);
}

void ElfParser::report_symbols(const Section &table, const SymbolTable &symbols, u64 names_end) {
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

// The end of the offsets that a table may have. Those of Mercury relocations count bytes of the
// expanded capsule, not of the section. A list of resolved relocations may belong to several
// sections of one name and names one of them (Q113).
u64 ElfParser::end_of_offsets(const Section &table) const {
  const bool any = table.is_mercury() || table.type == SectionType::CudaResolvedRela;
  return any ? ~u64{0} : view_.sections_[table.info].size;
}

u64 ElfParser::relocation_size(const Section &table) const {
  const bool has_addends = is_rela(table.type);
  return is_64() ? (has_addends ? sizeof(wire::Rela64) : sizeof(wire::Rel64))
                 : (has_addends ? sizeof(wire::Rela32) : sizeof(wire::Rel32));
}

void ElfParser::check_relocation_tables() {
  struct Outcome {
    bool valid = true;
    UsedTypes types{};
  };
  const u32 count = static_cast<u32>(tables_.size());
  std::vector<Outcome> outcomes(count_ranges(count, kTableRangesAtOnce));
  pool_.for_ranges(count, kTableRangesAtOnce, [&](u32 begin, u32 end) {
    Outcome &outcome = outcomes[begin / kTableRangesAtOnce];
    for (u32 range = begin; range < end; ++range) {
      const std::vector<u32> &tables = tables_[range].relocations;
      outcome.valid &=
          is_64() ? are_valid_tables<wire::Rel64, wire::Rela64, wire::Sym64>(tables, outcome.types)
                  : are_valid_tables<wire::Rel32, wire::Rela32, wire::Sym32>(tables, outcome.types);
    }
  });
  bool valid = true;
  UsedTypes types{}; // here, not in the view: then many are joined at a time
  for (const Outcome &outcome : outcomes) {
    valid &= outcome.valid;
    for (u32 type = 0; type < types.size(); ++type)
      types[type] |= outcome.types[type];
  }
  view_.relocation_types_ = types;
  if (!valid)
    for (const Tables &range : tables_)
      for (const u32 index : range.relocations)
        report_relocation_table(view_.sections_[index]);
}

// Where the offsets of a table neither only grow nor only fall.
template <typename Rel> [[gnu::noinline]] u64 last_offset_of(ByteSpan table, u64 entry) {
  u64 last = 0;
  for (u64 at = 0; at < table.size(); at += entry)
    last = std::max<u64>(last, load_le<decltype(Rel::r_offset)>(table.data() + at));
  return last;
}

// The last symbol and the last offset of a table tell that of all. On the way the order of the
// offsets is noted, with which others need not read the table for it. Inline, because most tables
// are short.
template <typename Rel, u64 kEntry, typename Sym>
[[gnu::always_inline]] inline bool ElfParser::is_valid_table(Section &table,
                                                             UsedTypes &types) const {
  const u64 size = table.data.size(), count = size / kEntry;
  if (table.entsize != kEntry || size != count * kEntry)
    return false;
  if (!view_.header_.is_cuda())
    return true;
  const Section &symbols = view_.sections_[table.link];
  if (!is_symbol_table(symbols.type))
    return false;
  if (size == 0)
    return true;
  using Info = decltype(Rel::r_info);
  constexpr u32 kSymbolShift = sizeof(Info) == 8 ? 32 : 8;
  constexpr Info kTypeMask = (Info{1} << kSymbolShift) - 1;
  const u8 *p = table.data.data(), *end = p + size;
  const u64 first = load_le<decltype(Rel::r_offset)>(p);
  u64 before = first, bits = 0, up = 0, down = 0;
  Info last_info = 0;
  for (; p != end; p += kEntry) {
    const u64 offset = load_le<decltype(Rel::r_offset)>(p);
    const Info info = load_le<Info>(p + offsetof(Rel, r_info));
    types[std::min(static_cast<u32>(info & kTypeMask), ElfView::kOtherTypes)] = true;
    last_info = std::max(last_info, info); // its symbol is the last one, too
    bits |= offset;
    up += before < offset ? 1 : 0;
    down += before > offset ? 1 : 0;
    before = offset;
  }
  table.offsets_ordered = std::max(up, down) + 1 == count;
  table.offset_bits = static_cast<u8>(bits);
  const u64 last_offset =
      table.offsets_ordered ? std::max(first, before) : last_offset_of<Rel>(table.data, kEntry);
  const u64 last_symbol = last_info >> kSymbolShift;
  return (last_symbol == 0 || (last_symbol + 1) * sizeof(Sym) <= symbols.data.size()) &&
         last_offset < end_of_offsets(table);
}

template <typename Rel, typename Rela, typename Sym>
bool ElfParser::are_valid_tables(std::span<const u32> tables, UsedTypes &types) {
  Section *sections = view_.sections_.data();
  bool valid = true;
  for (const u32 number : tables) {
    Section &table = sections[number];
    valid &= is_rela(table.type) ? is_valid_table<Rel, sizeof(Rela), Sym>(table, types)
                                 : is_valid_table<Rel, sizeof(Rel), Sym>(table, types);
  }
  return valid;
}

void ElfParser::report_relocation_table(const Section &table) {
  const u64 entry = relocation_size(table);
  check_entries(table, entry);
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
  report_entries(table, {view_.header_.elf_class(), is_rela(table.type), 0xffffffff, table.data},
                 view_.symbol_count(symbol_section));
}

// Reports the entries that are out of range.
void ElfParser::report_entries(const Section &table, const RelocationTable &raw, u32 symbol_count) {
  const Section &target = view_.sections_[table.info];
  const u64 end = end_of_offsets(table);
  RepeatedViolation bad_symbol(view_.violations_, table), bad_offset(view_.violations_, table);
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

} // namespace culink::elf
