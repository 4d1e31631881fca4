// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the bytes of a laid-out file. The buffer is zero at first, so padding needs no work;
// contents are copied once, directly from the caller's memory.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "elf/elf_file.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {

class ElfEmitter {
public:
  ElfEmitter(const ElfFile &file, const ElfLayout &layout, MutableByteSpan out)
      : file_(file), sections_(file.sections), layout_(layout), out_(out) {}

  void write_headers() const;
  template <typename Shdr> void write_section_header(u32 position) const;
  template <typename Sym> void write_symbols(u32 begin, u32 end) const;
  void write_section_names(u32 range) const;
  void write_content(u32 position) const;

private:
  template <typename Ehdr> void write_file_header() const;
  template <typename Shdr> void write_null_section() const;
  template <typename Phdr> void write_program_headers() const;
  [[nodiscard]] u8 *at(SectionId id) const { return out_.data() + layout_.offset_of(id); }
  [[nodiscard]] u32 info_of(SectionId id, const InfoField &info) const;
  void fill_in(const Fixup &fixup, u8 *word) const;

  const ElfFile &file_;
  const SectionTable &sections_;
  const ElfLayout &layout_;
  MutableByteSpan out_;
};

template <typename Ehdr> void ElfEmitter::write_file_header() const {
  const FileOptions &options = file_.options;
  Ehdr header{};
  std::memcpy(header.e_ident, kElfMagic, sizeof(kElfMagic));
  header.e_ident[kIdentClass] = static_cast<u8>(options.elf_class);
  header.e_ident[kIdentData] = kDataLittleEndian;
  header.e_ident[kIdentVersion] = 1;
  header.e_ident[kIdentOsAbi] = options.os_abi;
  header.e_ident[kIdentAbiVersion] = options.abi_version;
  header.e_type = static_cast<u16>(options.type);
  header.e_machine = kMachineCuda;
  header.e_version = options.version;
  header.e_flags = options.flags;
  if (file_.flags_section.valid())
    header.e_flags |= layout_.index_of(file_.flags_section) << 24;
  header.e_shoff = static_cast<decltype(header.e_shoff)>(layout_.section_table);
  header.e_phoff = static_cast<decltype(header.e_phoff)>(layout_.segment_table);
  header.e_ehsize = sizeof(Ehdr);
  header.e_shentsize = file_.wide() ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32);
  header.e_phentsize = file_.wide() ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32);
  if (layout_.segments.empty())
    header.e_phentsize = options.phentsize_without_segments;
  header.e_phnum = static_cast<u16>(layout_.segments.size());
  // A number that does not fit is stored in section 0.
  header.e_shnum =
      static_cast<u16>(layout_.section_count >= kSectionLoReserve ? 0 : layout_.section_count);
  header.e_shstrndx = static_cast<u16>(layout_.index_of(ElfFile::kShstrtab));
  store_le(out_.data(), header);
}

u32 ElfEmitter::info_of(SectionId id, const InfoField &info) const {
  if (const auto *section = std::get_if<SectionId>(&info.value()))
    return section->valid() ? layout_.index_of(*section) : 0;
  if (const auto *symbol = std::get_if<InfoField::SymbolNumber>(&info.value()))
    return layout_.number_of(symbol->symbol) | u32{symbol->top_byte} << 24;
  const u32 number = std::get<u32>(info.value());
  return id == ElfFile::kSymtab && number == 0 ? layout_.symbols.first_global : number;
}

template <typename Shdr> void ElfEmitter::write_null_section() const {
  Shdr header{};
  if (layout_.section_count >= kSectionLoReserve)
    header.sh_size = layout_.section_count;
  store_le(out_.data() + layout_.section_table, header);
}

// Writes the header of section layout.order[position].
template <typename Shdr> void ElfEmitter::write_section_header(u32 position) const {
  using Word = decltype(Shdr::sh_size);
  constexpr Word kAddress = 0;
  const SectionId id = layout_.order[position];
  const OutSection &section = sections_[id];
  store_fields<Shdr>(out_.data() + layout_.section_table + (u64{position} + 1) * sizeof(Shdr),
                     layout_.shstrtab.offsets[file_.options.compact ? position : id.value],
                     static_cast<u32>(section.type), static_cast<Word>(section.flags), kAddress,
                     static_cast<Word>(layout_.content_offset[position]),
                     static_cast<Word>(layout_.size_of(id, section)),
                     section.link.valid() ? layout_.index_of(section.link) : 0,
                     info_of(id, section.info), static_cast<Word>(section.align),
                     static_cast<Word>(section.entsize));
}

template <typename Phdr> void ElfEmitter::write_program_headers() const {
  using Word = decltype(Phdr::p_filesz);
  u8 *p = out_.data() + layout_.segment_table;
  for (const ElfLayout::Segment &segment : layout_.segments) {
    Phdr header{};
    header.p_type = static_cast<u32>(segment.type);
    header.p_flags = segment.flags;
    header.p_offset = static_cast<Word>(segment.offset);
    header.p_filesz = static_cast<Word>(segment.filesz);
    header.p_memsz = static_cast<Word>(segment.memsz);
    header.p_align = 8;
    store_le(p, header);
    p += sizeof(Phdr);
  }
}

template <typename Sym> void ElfEmitter::write_symbols(u32 begin, u32 end) const {
  u8 *table = at(ElfFile::kSymtab);
  u8 *indices = at(ElfFile::kSymtabShndx);
  const bool has_indices = layout_.index_of(ElfFile::kSymtabShndx) != 0;
  const bool late = !layout_.late_symbol_name.empty();
  const u32 *names = late ? layout_.late_symbol_name.data() : layout_.symbol_name.data();
  for (u32 id = begin; id < end; ++id) {
    const u32 number = layout_.symbols.of[id];
    if (number == 0)
      continue;
    const SymbolSpec spec = file_.symbols.without_name(SymbolId(id));
    const bool in_section = spec.section.valid();
    const u32 index = in_section ? layout_.index_of(spec.section) : spec.special_section;
    const bool lost = spec.named && index == kSectionCommon && file_.options.lose_section_fff2;
    const bool large = in_section && !lost &&
                       (spec.named ? index >= kSectionLoReserve : file_.is_large_index(index));
    // nvlink also loses the section with that number in order of creation, if its number in the
    // file fits and there is no Mercury code.
    bool mistaken = false;
    if (has_indices && large) {
      store_le<u32>(indices + u64{number} * 4, index);
    } else if (has_indices && in_section && spec.named && !layout_.number_as_added.empty()) {
      const u32 as_added = layout_.number_as_added[spec.section.value];
      store_le<u32>(indices + u64{number} * 4, as_added);
      mistaken = as_added == kSectionCommon && file_.options.lose_section_fff2 &&
                 file_.options.segments != SegmentRule::Mercury;
    }
    const u8 info =
        static_cast<u8>(static_cast<u8>(spec.binding) << 4 | static_cast<u8>(spec.type));
    const u16 section = static_cast<u16>(mistaken ? kSectionCommon
                                         : large  ? kSectionXindex
                                                  : index);
    u8 *p = table + u64{number} * sizeof(Sym);
    if constexpr (std::is_same_v<Sym, wire::Sym64>)
      store_fields<Sym>(p, names[id], info, spec.other, section, spec.value, spec.size);
    else
      store_fields<Sym>(p, names[id], static_cast<u32>(spec.value), static_cast<u32>(spec.size),
                        info, spec.other, section);
  }
}

// New names of renamed sections are shorter than the room of the old names.
void ElfEmitter::write_section_names(u32 range) const {
  u8 *table = at(ElfFile::kShstrtab);
  if (file_.options.compact || file_.old_names_.empty())
    return layout_.shstrtab.write(range, table);
  if (range != 0)
    return;
  for (u32 id = 0; id < sections_.size(); ++id) {
    const std::string_view name = sections_.name(SectionId(id));
    if (layout_.shstrtab.offsets[id] != 0)
      std::memcpy(table + layout_.shstrtab.offsets[id], name.data(), name.size());
  }
}

// Writes the headers that a file has once.
void ElfEmitter::write_headers() const {
  if (file_.wide()) {
    write_file_header<wire::Ehdr64>();
    write_null_section<wire::Shdr64>();
    write_program_headers<wire::Phdr64>();
  } else {
    write_file_header<wire::Ehdr32>();
    write_null_section<wire::Shdr32>();
    write_program_headers<wire::Phdr32>();
  }
}

// Writes the content of section layout.order[position].
void ElfEmitter::write_content(u32 position) const {
  const OutSection &section = sections_[layout_.order[position]];
  const SectionExtra *extra = sections_.find_extra(section);
  if (has_no_file_data(section.type) || (extra && extra->shares_bytes_with.valid()))
    return;
  u8 *content = out_.data() + layout_.content_offset[position];
  if (!section.first.empty())
    std::memcpy(content, section.first.data(), section.first.size());
  if (!extra)
    return;
  for (const SectionPiece &piece : extra->pieces)
    std::memcpy(content + piece.offset, piece.bytes.data(), piece.bytes.size());
  for (const Fixup &fixup : extra->fixups)
    fill_in(fixup, content + fixup.offset);
}

void ElfEmitter::fill_in(const Fixup &fixup, u8 *word) const {
  switch (fixup.kind) {
  case Fixup::Kind::SymbolNumber:
  case Fixup::Kind::RelocationSymbol:
    return store_le<u32>(word, layout_.symbols.of[fixup.id]);
  case Fixup::Kind::RelocationSymbol8:
    return store_le<u32>(word, load_le<u32>(word) | layout_.symbols.of[fixup.id] << 8);
  case Fixup::Kind::SectionIndex:
    return store_le<u32>(word, layout_.section_index[fixup.id]);
  case Fixup::Kind::StringOffset:
    return store_le<u32>(word, layout_.string_offset[fixup.id]);
  }
}

namespace {

constexpr u32 kSymbolsWrittenTogether = 16384;

} // namespace

// Returns the number of parts of the tables: single headers, symbols, section names, symbol names.
u32 ElfFile::table_parts(const ElfLayout &layout) const {
  return 1 + symbols.size() / kSymbolsWrittenTogether + 1 + layout.shstrtab.range_count() +
         layout.strtab.range_count();
}

// Writes all but the first entry of each table, and the unused room after names. Renamed sections
// leave room between names, too.
void ElfFile::write_tables(const ElfLayout &layout, MutableByteSpan out, u32 part) const {
  const ElfEmitter emitter(*this, layout, out);
  const u32 symbol_parts = symbols.size() / kSymbolsWrittenTogether + 1;
  if (part == 0)
    return emitter.write_headers();
  if (--part < symbol_parts) {
    const u32 begin = part * kSymbolsWrittenTogether;
    const u32 end = std::min(begin + kSymbolsWrittenTogether, symbols.size());
    return wide() ? emitter.write_symbols<wire::Sym64>(begin, end)
                  : emitter.write_symbols<wire::Sym32>(begin, end);
  }
  part -= symbol_parts;
  if (part < layout.shstrtab.range_count())
    return emitter.write_section_names(part);
  layout.strtab.write(part - layout.shstrtab.range_count(), out.data() + layout.offset_of(kStrtab));
}

void ElfFile::write_contents(const ElfLayout &layout, MutableByteSpan out, u32 first,
                             u32 last) const {
  const ElfEmitter emitter(*this, layout, out);
  for (u32 i = first; i < last; ++i) {
    if (wide())
      emitter.write_section_header<wire::Shdr64>(i);
    else
      emitter.write_section_header<wire::Shdr32>(i);
    emitter.write_content(i);
  }
}

void ElfFile::write(const ElfLayout &layout, MutableByteSpan out) const {
  for (u32 part = 0; part < table_parts(layout); ++part)
    write_tables(layout, out, part);
  write_contents(layout, out, 0, static_cast<u32>(layout.order.size()));
}

} // namespace culink::elf
