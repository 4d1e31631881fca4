// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the bytes of a laid-out file. The buffer is zero at first, so padding needs no work;
// contents are copied once, from where the caller has them.
#include "elf/elf_builder.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/bytes.h"
#include "elf/wire.h"

namespace culink::elf {

class ElfEmitter {
public:
  using State = BuiltSections::State;
  ElfEmitter(const ElfBuilder &writer, const ElfLayout &layout, MutableByteSpan out)
      : writer_(writer), layout_(layout), out_(out) {}

  void write_headers() const;
  template <typename Shdr>
  void write_section_header(u32 position, const State &state, const SectionSpec &kind) const;
  template <typename Sym> void write_symbols(u32 begin, u32 end) const;
  void write_section_names(u32 range) const;
  void write_symbol_names(u32 range) const;
  void write_content(u32 position, const State &state, const SectionSpec &kind) const;
  [[nodiscard]] bool wide() const { return writer_.options_.elf_class == ElfClass::Elf64; }

private:
  using Detail = BuiltSections::Detail;
  template <typename Ehdr> void write_file_header() const;
  template <typename Shdr> void write_null_section() const;
  template <typename Phdr> void write_program_headers() const;
  [[nodiscard]] u8 *at(SectionId id) const { return out_.data() + layout_.offset_of(id); }
  [[nodiscard]] u64 size_of(SectionId id, const State &state) const;
  [[nodiscard]] u32 info_of(SectionId id, const InfoField &form, u32 number) const;
  void fill_in(const Fixup &fixup, u8 *word) const;
  [[nodiscard]] bool is_too_large(u32 index) const;
  [[nodiscard]] u32 number_as_added(SectionId id) const;
  void write_detail(const Detail &detail, u8 *content) const;
  void write_relocations(const Detail &detail, u8 *p) const;
  template <typename Rel, typename Addend> void write_entries(const Detail &detail, u8 *p) const;

  const ElfBuilder &writer_;
  const ElfLayout &layout_;
  MutableByteSpan out_;
};

template <typename Ehdr> void ElfEmitter::write_file_header() const {
  const BuilderOptions &options = writer_.options_;
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
  if (writer_.flags_section_.valid())
    header.e_flags |= layout_.index_of(writer_.flags_section_) << 24;
  header.e_shoff = static_cast<decltype(header.e_shoff)>(layout_.section_table);
  header.e_phoff = static_cast<decltype(header.e_phoff)>(layout_.segment_table);
  header.e_ehsize = sizeof(Ehdr);
  header.e_shentsize = wide() ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32);
  header.e_phentsize = wide() ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32);
  if (layout_.segments.empty())
    header.e_phentsize = options.phentsize_without_segments;
  header.e_phnum = static_cast<u16>(layout_.segments.size());
  // A count that does not fit is stored in section 0.
  header.e_shnum =
      static_cast<u16>(layout_.section_count >= kSectionLoReserve ? 0 : layout_.section_count);
  header.e_shstrndx = static_cast<u16>(layout_.index_of(writer_.shstrtab()));
  store_le(out_.data(), header);
}

inline u64 ElfEmitter::size_of(SectionId id, const State &state) const {
  if (id.value > writer_.symtab_shndx().value)
    return state.size;
  if (id == writer_.shstrtab())
    return layout_.shstrtab.size;
  if (id == writer_.strtab())
    return layout_.strtab.size;
  return layout_.symbol_count * writer_.kind_of(id).entsize;
}

// `number`: that of a section or symbol, if the form has one, or the value.
inline u32 ElfEmitter::info_of(SectionId id, const InfoField &form, u32 number) const {
  if (std::holds_alternative<SectionId>(form.value()))
    return SectionId(number).valid() ? layout_.index_of(SectionId(number)) : 0;
  if (const auto *symbol = std::get_if<InfoField::SymbolNumber>(&form.value()))
    return layout_.number_of(SymbolId(number)) | u32{symbol->top_byte} << 24;
  return id == writer_.symtab() && number == 0 ? layout_.first_global : number;
}

template <typename Shdr> void ElfEmitter::write_null_section() const {
  Shdr header{};
  if (layout_.section_count >= kSectionLoReserve)
    header.sh_size = layout_.section_count;
  store_le(out_.data() + layout_.section_table, header);
}

// The header of section layout.order[position].
template <typename Shdr>
[[gnu::always_inline]] inline void
ElfEmitter::write_section_header(u32 position, const State &state, const SectionSpec &kind) const {
  using Word = decltype(Shdr::sh_size);
  const SectionId id = layout_.order[position];
  constexpr Word kAddress = 0;
  store_fields<Shdr>(out_.data() + layout_.section_table + (u64{position} + 1) * sizeof(Shdr),
                     layout_.shstrtab.offsets[writer_.options_.compact ? position : id.value],
                     static_cast<u32>(kind.type), static_cast<Word>(kind.flags), kAddress,
                     static_cast<Word>(layout_.content_offset[position]),
                     static_cast<Word>(size_of(id, state)),
                     kind.link.valid() ? layout_.index_of(kind.link) : 0,
                     info_of(id, kind.info, writer_.sections_.info_number_of(state)),
                     static_cast<Word>(kind.align), static_cast<Word>(kind.entsize));
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
  u8 *table = at(writer_.symtab());
  const u32 *names =
      layout_.late_symbol_name.empty() ? layout_.symbol_names() : layout_.late_symbol_name.data();
  const bool extended = layout_.index_of(writer_.symtab_shndx()) != 0;
  const u32 *numbers = layout_.symbol_number.data(); // bytes that are written might be anywhere
  const u32 *index_of = layout_.section_index.data();
  const BuiltSymbols::State *states = writer_.symbols_.begin();
  SymbolSpec room;
  for (u32 id = begin; id < end; ++id) {
    const u32 number = numbers[id];
    if (number == 0)
      continue;
    const SymbolSpec &spec = writer_.symbols_.without_name(states[id], room);
    const u32 name = names[id];
    const u32 index = spec.section.valid() ? index_of[spec.section.value] : spec.special_section;
    const bool lost = spec.named && index == kSectionCommon && writer_.options_.lose_section_fff2;
    const bool too_large = spec.section.valid() && !lost &&
                           (spec.named ? index >= kSectionLoReserve : is_too_large(index));
    if (extended && too_large)
      store_le<u32>(at(writer_.symtab_shndx()) + u64{number} * 4, index);
    else if (extended && spec.section.valid() && spec.named && writer_.uncounted_)
      store_le<u32>(at(writer_.symtab_shndx()) + u64{number} * 4, number_as_added(spec.section));
    const u8 info =
        static_cast<u8>(static_cast<u8>(spec.binding) << 4 | static_cast<u8>(spec.type));
    // To nvlink, the section of that number in order of creation is lost as well, if its number in
    // the file fits.
    const bool mistaken = extended && !too_large && writer_.uncounted_ && spec.section.valid() &&
                          spec.named && writer_.options_.lose_section_fff2 &&
                          number_as_added(spec.section) == kSectionCommon;
    const u16 section = static_cast<u16>(mistaken    ? kSectionCommon
                                         : too_large ? kSectionXindex
                                                     : index);
    u8 *p = table + u64{number} * sizeof(Sym);
    if constexpr (std::is_same_v<Sym, wire::Sym64>)
      store_fields<Sym>(p, name, info, spec.other, section, spec.value, spec.size);
    else
      store_fields<Sym>(p, name, static_cast<u32>(spec.value), static_cast<u32>(spec.size), info,
                        spec.other, section);
  }
}

// Where sections were renamed, their new names are shorter than the room that there is.
void ElfEmitter::write_section_names(u32 range) const {
  u8 *table = at(writer_.shstrtab());
  const BuiltSections &sections = writer_.sections_;
  const auto name_of = [&sections](u32 id) { return sections.name_of(sections[id]); };
  if (writer_.options_.compact)
    return layout_.shstrtab.write(
        range, [&](u32 position) { return name_of(layout_.order[position].value); }, table);
  if (writer_.old_names_.empty())
    return layout_.shstrtab.write(range, name_of, table);
  if (range != 0)
    return;
  for (u32 id = 0; id < writer_.section_count(); ++id) {
    const std::string_view name = name_of(id);
    if (layout_.shstrtab.offsets[id] != 0)
      std::memcpy(table + layout_.shstrtab.offsets[id], name.data(), name.size());
  }
}

// Positions are those of ElfLayouter::name_symbols.
void ElfEmitter::write_symbol_names(u32 range) const {
  u8 *table = at(writer_.strtab());
  if (const std::vector<std::string_view> &texts = layout_.strtab_texts; !texts.empty())
    return layout_.strtab.write(
        range, [&](u32 position) { return texts[position]; }, table);
  const u32 strings = static_cast<u32>(writer_.strings_.size());
  const u32 symbols = writer_.symbol_count();
  const u32 *order = layout_.symbol_order.empty() ? nullptr : layout_.symbol_order.data();
  const auto text_at = [&](u32 position) -> std::string_view {
    if (position < strings)
      return writer_.strings_[position].text;
    position -= strings;
    if (position >= symbols)
      return writer_.late_names_[position - symbols].name;
    const u32 id = order ? order[position] : position;
    return writer_.symbols_.text_of(writer_.symbols_[id], writer_.sections_);
  };
  layout_.strtab.write(range, text_at, table);
}

// What there is once.
void ElfEmitter::write_headers() const {
  if (wide()) {
    write_file_header<wire::Ehdr64>();
    write_null_section<wire::Shdr64>();
    write_program_headers<wire::Phdr64>();
  } else {
    write_file_header<wire::Ehdr32>();
    write_null_section<wire::Shdr32>();
    write_program_headers<wire::Phdr32>();
  }
}

// The number of a section in order of creation, counting those of which only the name is left
// (Q059).
u32 ElfEmitter::number_as_added(SectionId id) const {
  const std::vector<SectionId> &uncounted = *writer_.uncounted_;
  const auto behind = std::lower_bound(uncounted.begin(), uncounted.end(), id);
  return id.value + 1 + static_cast<u32>(behind - uncounted.begin());
}

void ElfEmitter::write_relocations(const Detail &detail, u8 *p) const {
  const bool with_addends = is_rela(detail.spec.type);
  if (wide())
    with_addends ? write_entries<wire::Rel64, i64>(detail, p)
                 : write_entries<wire::Rel64, void>(detail, p);
  else
    with_addends ? write_entries<wire::Rel32, i32>(detail, p)
                 : write_entries<wire::Rel32, void>(detail, p);
}

// `Addend`: its type in the file, or void.
template <typename Rel, typename Addend>
void ElfEmitter::write_entries(const Detail &detail, u8 *p) const {
  const u64 entsize = detail.spec.entsize;
  const u32 *number_of = layout_.symbol_number.data();
  const auto write_entry = [&](const RelocationSpec &entry) {
    const u32 symbol = entry.symbol.valid() ? number_of[entry.symbol.value] : 0;
    if constexpr (std::is_same_v<Rel, wire::Rel64>)
      store_le(p, Rel{entry.offset, u64{symbol} << 32 | entry.type});
    else
      store_le(p, Rel{static_cast<u32>(entry.offset), symbol << 8 | (entry.type & 0xff)});
    if constexpr (!std::is_void_v<Addend>)
      store_le(p + sizeof(Rel), static_cast<Addend>(entry.addend));
    p += entsize;
  };
  writer_.relocations_.for_each(detail.relocations, write_entry);
}

// Of section layout.order[position].
[[gnu::always_inline]] inline void ElfEmitter::write_content(u32 position, const State &state,
                                                             const SectionSpec &kind) const {
  if (has_no_file_data(kind.type) || kind.shares_bytes_with.valid())
    return;
  u8 *content = out_.data() + layout_.content_offset[position];
  if (const ByteSpan bytes = state.bytes(); !bytes.empty())
    std::memcpy(content, bytes.data(), bytes.size());
  if (const Detail *detail = writer_.sections_.find_detail(state)) [[unlikely]]
    write_detail(*detail, content);
}

void ElfEmitter::write_detail(const Detail &detail, u8 *content) const {
  write_relocations(detail, content + detail.relocations_start);
  writer_.sections_.pieces().for_each(detail.more, [content](const BuiltSections::Piece &piece) {
    std::memcpy(content + piece.offset, piece.bytes.data(), piece.bytes.size());
  });
  writer_.fixups_.for_each(detail.fixups, [&](const Fixup &fixup) {
    if (fixup.kind == Fixup::Kind::SymbolNumber)
      store_le<u32>(content + fixup.offset, layout_.symbol_number[fixup.id]);
    else
      fill_in(fixup, content + fixup.offset);
  });
}

// nvlink escapes section 0xff00 in .symtab, but not in the Mercury symbol table, nor for symbols
// that come with the machine code (Q059).
bool ElfEmitter::is_too_large(u32 index) const {
  return index >= kSectionLoReserve + (writer_.options_.lose_section_fff2 ? 1 : 0);
}

void ElfEmitter::fill_in(const Fixup &fixup, u8 *word) const {
  switch (fixup.kind) {
  case Fixup::Kind::SectionIndexHalf: {
    const u32 index = layout_.section_index[fixup.id];
    store_le<u16>(word, static_cast<u16>(is_too_large(index) ? kSectionXindex : index));
    return;
  }
  case Fixup::Kind::LargeSectionIndex:
    if (const u32 index = layout_.section_index[fixup.id]; is_too_large(index))
      store_le<u32>(word, index);
    return;
  case Fixup::Kind::SectionAsAdded:
    if (writer_.uncounted_)
      store_le<u32>(word, number_as_added(SectionId(fixup.id)));
    return;
  case Fixup::Kind::SymbolNumber:
    return store_le<u32>(word, layout_.symbol_number[fixup.id]);
  case Fixup::Kind::SectionIndex:
    return store_le<u32>(word, layout_.section_index[fixup.id]);
  case Fixup::Kind::StringOffset:
    return store_le<u32>(word, layout_.string_offset[fixup.id]);
  case Fixup::Kind::SymbolName:
    return store_le<u32>(word, layout_.symbol_names()[fixup.id]);
  }
}

namespace {

constexpr u32 kSymbolsWrittenTogether = 16384;

} // namespace

// The parts of the tables: what there is once, symbols, section names, symbol names.
u32 ElfBuilder::table_parts(const ElfLayout &layout) const {
  return 1 + symbol_count() / kSymbolsWrittenTogether + 1 + layout.shstrtab.range_count() +
         layout.strtab.range_count();
}

// All but the first entry of each table, and what room there is behind names. Sections that were
// renamed leave room between names, too.
void ElfBuilder::write_tables(const ElfLayout &layout, MutableByteSpan out, u32 part) const {
  const ElfEmitter emitter(*this, layout, out);
  const u32 symbol_parts = symbol_count() / kSymbolsWrittenTogether + 1;
  if (part == 0)
    return emitter.write_headers();
  if (--part < symbol_parts) {
    const u32 begin = part * kSymbolsWrittenTogether;
    const u32 end = begin + std::min(kSymbolsWrittenTogether, symbol_count() - begin);
    return emitter.wide() ? emitter.write_symbols<wire::Sym64>(begin, end)
                          : emitter.write_symbols<wire::Sym32>(begin, end);
  }
  part -= symbol_parts;
  if (part < layout.shstrtab.range_count())
    return emitter.write_section_names(part);
  emitter.write_symbol_names(part - layout.shstrtab.range_count());
}

void ElfBuilder::write_contents(const ElfLayout &layout, MutableByteSpan out, u32 first,
                                u32 last) const {
  const ElfEmitter emitter(*this, layout, out);
  const bool wide = emitter.wide();
  for (u32 i = first; i < last; ++i) {
    const BuiltSections::State &state = sections_[layout.order[i].value];
    const SectionSpec &kind = sections_.kind_of(state);
    if (wide)
      emitter.write_section_header<wire::Shdr64>(i, state, kind);
    else
      emitter.write_section_header<wire::Shdr32>(i, state, kind);
    emitter.write_content(i, state, kind);
  }
}

void ElfBuilder::write(const ElfLayout &layout, MutableByteSpan out) const {
  for (u32 part = 0; part < table_parts(layout); ++part)
    write_tables(layout, out, part);
  write_contents(layout, out, 0, static_cast<u32>(layout.order.size()));
}

} // namespace culink::elf
