// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the linker and the assembler build files with: ElfWriter (culink/elf_writer.h) without its
// front, and with everything that is needed to write files exactly as ptxas and nvlink do, such as
// names of sections that are not in the file, symbols in an unusual part of the table, and sections
// that were renamed late. Nothing is checked or copied that need not be, because a link adds
// hundreds of thousands of sections.
//
// A caller creates sections and symbols in the order in which their names shall appear, calls
// lay_out(), and writes, perhaps with several threads. Names are copied, unless BuilderOptions say
// otherwise. Content given as a span is borrowed until the file is written.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "base/worker_pool.h"
#include "culink/elf_writer.h"
#include "elf/built_sections.h"
#include "elf/built_symbols.h"
#include "elf/constants.h"
#include "elf/name_offsets.h"
#include "elf/section_spec.h"

namespace culink::elf {

struct BuilderOptions {
  FileType type = FileType::Relocatable;
  ElfClass elf_class = ElfClass::Elf64;
  u32 flags = 0; // e_flags; the index of flags_section goes to the top byte
  u8 os_abi = kOsAbiCuda;
  u8 abi_version = 8;
  u32 version = 1;                             // e_version; the toolkit in files of ABI 7
  SegmentRule segments = SegmentRule::Classic; // executables only
  u16 phentsize_without_segments = 56;         // objects of ptxas for sm_90 and later have 0
  bool borrow_names = false;                   // names outlive the writer: do not copy them
  // Names of sections that the caller has numbered already; see SectionSpec::name_number. Borrowed
  // until the file is written or keep_names is called.
  const StringIndex *numbered_names = nullptr;
  // Symbols of section 0xfff2 look like common symbols, and in tables of symbols that are filled in
  // by Fixup, section 0xff00 is not marked as too large (Q059).
  bool lose_section_fff2 = false;
  // Only names that are in use, in the order of the file, those of .symtab before others; equal
  // ones are one. Headers follow the contents without a gap.
  bool compact = false;
  u32 section_names_room = 0; // unused bytes at the end of .shstrtab
};

struct RelocationSpec {
  u64 offset = 0;
  u32 type = 0;
  SymbolId symbol = {}; // none: symbol 0
  i64 addend = 0;       // ignored in tables without addends
};

// A 32-bit word of a section's content that holds a number known only in the finished file.
struct Fixup {
  enum class Kind : u8 {
    SymbolNumber,
    SectionIndex,
    StringOffset,
    SymbolName,        // where the name is in .strtab
    SectionIndexHalf,  // in 16 bits, as st_shndx: 0xffff if it does not fit
    LargeSectionIndex, // the index that does not fit there; otherwise nothing is written
    SectionAsAdded,    // see number_sections_as_added; without it nothing is written
  };
  u64 offset = 0;
  Kind kind = Kind::SymbolNumber;
  u32 id = 0; // of the SymbolId or SectionId, or what add_string returned
};

// The numbers of symbols in the file: local ones come first.
struct SymbolNumbers {
  RawVector<u32> of; // by SymbolId; 0: not emitted
  u32 count = 0;     // with the null symbol
  u32 first_global = 0;
  RawVector<u32> order; // ids of symbols, local ones first; empty: as they were given
};

// Where everything lies. Positions in the vectors are the values of ids.
struct ElfLayout {
  struct Segment {
    SegmentType type;
    u32 flags;
    u64 offset, filesz, memsz;
  };
  u64 file_size = 0;
  u64 section_table = 0; // e_shoff
  u64 segment_table = 0; // e_phoff, 0 when there are none
  u32 section_count = 0; // with the null section
  u32 symbol_count = 0;  // with the null symbol
  u32 first_global = 0;
  bool shares_bytes = false; // some sections are where others are
  PlacedNames shstrtab;      // by SectionId; in a compact file by position in `order`
  PlacedNames strtab;        // of strings, symbols in the order of their numbers, and late names
  std::vector<std::string_view> strtab_texts; // of a compact file, by position
  RawVector<SectionId> order;                 // emitted sections, in file order
  RawVector<u32> section_index;               // by SectionId; 0: not emitted
  RawVector<u64> content_offset;              // by position in `order`
  RawVector<u32> symbol_number;               // by SymbolId; 0: not emitted
  std::vector<u32> string_offset;             // by add_string's result: offset in .strtab
  RawVector<u32> symbol_order;                // see SymbolNumbers::order
  RawVector<u32> symbol_name;      // by SymbolId: offset in .strtab; or see symbol_names()
  RawVector<u32> late_symbol_name; // the same with late names, or none
  std::vector<Segment> segments;

  [[nodiscard]] u32 index_of(SectionId id) const { return section_index[id.value]; }
  // 0: not emitted.
  [[nodiscard]] u64 offset_of(SectionId id) const {
    const u32 index = section_index[id.value];
    return index != 0 ? content_offset[index - 1] : 0;
  }
  [[nodiscard]] u32 number_of(SymbolId id) const { return symbol_number[id.value]; }
  // By SymbolId: offset in .strtab. Those of symbols that were given in order are there already,
  // behind strings.
  [[nodiscard]] const u32 *symbol_names() const {
    return symbol_name.empty() ? strtab.offsets.data() + string_offset.size() : symbol_name.data();
  }
};

class ElfBuilder {
public:
  // Creates .shstrtab, .strtab, .symtab and .symtab_shndx; the last is emitted when it is needed.
  explicit ElfBuilder(const BuilderOptions &options);
  ~ElfBuilder();
  ElfBuilder(ElfBuilder &&) noexcept;
  ElfBuilder &operator=(ElfBuilder &&) noexcept;

  [[nodiscard]] SectionId shstrtab() const { return SectionId(0); }
  [[nodiscard]] SectionId strtab() const { return SectionId(1); }
  [[nodiscard]] SectionId symtab() const { return SectionId(2); }
  [[nodiscard]] SectionId symtab_shndx() const { return SectionId(3); }

  // Optional: makes room for that many things at once.
  struct Room {
    u64 sections = 0;
    u64 symbols = 0;
    u64 symbol_specs = 0; // of symbols that are not those of sections
  };
  void reserve(const Room &room);
  SectionId add_section(const SectionSpec &spec);
  // As add_symbols and put_symbol. A section may have its first bytes and its size from the start.
  // Its name must have a number. See BuiltSections::put.
  SectionId add_sections(u32 count) { return SectionId(sections_.extend(count)); }
  [[nodiscard]] u32 number_of_kind(const SectionSpec &spec) {
    return sections_.number_of_kind(spec);
  }
  void put_section(SectionId id, u32 kind, u32 name_number, const InfoField &info,
                   ByteSpan borrowed = {}, u64 size = 0) {
    sections_.put(id.value, kind, name_number, info, borrowed, size);
  }
  // Whether a section may have that from the start.
  [[nodiscard]] static bool is_plain(ByteSpan borrowed, u64 size) {
    return BuiltSections::is_plain(borrowed, size);
  }
  [[nodiscard]] SectionSpec section(SectionId id) const {
    return sections_.spec_of(sections_[id.value]);
  }
  // Without its name and what sh_info names, which takes less time.
  [[nodiscard]] const SectionSpec &kind_of(SectionId id) const {
    return sections_.kind_of(sections_[id.value]);
  }
  [[nodiscard]] std::string_view name_of(SectionId id) const {
    return sections_.name_of(sections_[id.value]);
  }
  // For changes of a few sections. Valid until a section is added or changed.
  [[nodiscard]] SectionSpec &edit_section(SectionId id) { return sections_.detail(id.value).spec; }
  // Takes BuilderOptions::numbered_names over. Nothing may be laid out after that.
  void keep_names(std::unique_ptr<StringIndex> names) { sections_.keep_names(std::move(names)); }

  // Adds content behind what is there, after zero bytes up to `align`, and returns its offset.
  // Threads may give different sections the bytes they begin with.
  u64 append(SectionId id, ByteSpan borrowed, u64 align = 1);
  u64 append_copy(SectionId id, ByteSpan bytes, u64 align = 1);
  // Adds bytes that the caller fills until the file is written.
  [[nodiscard]] MutableByteSpan append_room(SectionId id, u64 size);
  // Adds `size` zero bytes; for sections without file data, the memory they ask for.
  u64 append_zeros(SectionId id, u64 size, u64 align = 1);
  [[nodiscard]] u64 size(SectionId id) const { return sections_[id.value].size; }
  [[nodiscard]] u32 section_count() const { return sections_.size(); }
  void add_fixup(SectionId id, const Fixup &fixup) {
    fixups_.append(sections_.detail(id.value).fixups, fixup);
  }
  // The same with all that several threads have found, in this order.
  void add_fixups(SectionId id, std::span<const std::vector<Fixup>> fixups, WorkerPool &pool) {
    fixups_.append(sections_.detail(id.value).fixups, fixups, pool);
  }

  SymbolId add_symbol(const SymbolSpec &spec);
  // Ids for `count` symbols that follow each other, and the first of them. Every one must be given
  // by one of the put functions, which different threads may do for different ones; put_nothing
  // leaves no trace in the file. Names are not copied. A symbol that is specified needs a number of
  // its own, of those that make_room_for_specs returned the first of.
  SymbolId add_symbols(u32 count) { return SymbolId(symbols_.extend(count)); }
  u32 make_room_for_specs(u32 count) { return symbols_.extend_specs(count); }
  void put_symbol(SymbolId id, const SymbolSpec &spec, u32 number) {
    symbols_.put(id.value, spec, number);
  }
  void put_section_symbol(SymbolId id, SectionId section, bool emitted) {
    symbols_.put_section(id.value, section, emitted);
  }
  void put_nothing(SymbolId id) { symbols_.put_nothing(id.value); }
  // A local symbol of type Section that carries the name which the section has in the end.
  SymbolId add_section_symbol(SectionId id, bool emitted = true) {
    return SymbolId(symbols_.add_section(id, emitted));
  }
  [[nodiscard]] SymbolSpec symbol(SymbolId id) const {
    return symbols_.whole(symbols_[id.value], sections_);
  }
  [[nodiscard]] bool is_emitted(SymbolId id) const {
    return symbols_.is_emitted(symbols_[id.value]);
  }
  // For changes of a few symbols. Valid until a symbol is added or changed.
  [[nodiscard]] SymbolSpec &edit_symbol(SymbolId id) { return symbols_.edit(id.value, sections_); }

  // Sections and symbols that were renamed when the tables of names existed already, as nvlink does
  // where it makes machine code of Mercury code. A section's name lies where the old one was, which
  // is longer; a symbol's new name is behind all others, and the old one stays.
  void rename_section(SectionId id, std::string_view old_name);
  void rename_symbol(SymbolId id, std::string_view new_name);
  // Sections that are added from here on do not share their names in .shstrtab.
  void name_separately_from_here() { first_separate_ = section_count(); }
  [[nodiscard]] u32 symbol_count() const { return symbols_.size(); }

  // The table .rel<target> or .rela<target>; entries are written in the order in which they come.
  // Tables of other types and names are ordinary sections to which relocations are added, perhaps
  // behind bytes that are entries already.
  SectionId add_relocation_section(SectionId target, bool with_addends);
  void add_relocation(SectionId table, const RelocationSpec &entry);

  // A string for the front of .strtab, ahead of all symbol names: prototypes are there. Equal
  // strings share their bytes, unless `separately`.
  u32 add_string(std::string_view text, bool separately = false);

  // Section whose index goes to the top byte of e_flags: .note.nv.cuinfo in files of ABI 8.
  void set_flags_section(SectionId id) { flags_section_ = id; }

  // Fills .symtab_shndx, in files that have one, for symbols that do not need it, too: with the
  // number their section had when it was added (Q059). Behind each section of `uncounted`, which
  // is sorted, nvlink counts one more.
  void number_sections_as_added(std::vector<SectionId> uncounted) {
    uncounted_ = std::move(uncounted);
  }

  // The numbers of all symbols, for a caller that stores them in contents. No symbol may be added
  // afterwards, nor change what decides about its number.
  [[nodiscard]] SymbolNumbers number_symbols() const;
  // Decides every number and offset. Nothing may be added afterwards.
  [[nodiscard]] Result<ElfLayout> lay_out() const;
  [[nodiscard]] Result<ElfLayout> lay_out(WorkerPool &pool) const;
  [[nodiscard]] Result<ElfLayout> lay_out(WorkerPool &pool, SymbolNumbers numbers) const;
  // Writes the whole file. Precondition: out has layout.file_size bytes, all zero.
  void write(const ElfLayout &layout, MutableByteSpan out) const;
  // What write() does, in parts that different threads may write: tables of symbols and strings and
  // what there is once; headers and contents of layout.order[first, last).
  [[nodiscard]] u32 table_parts(const ElfLayout &layout) const;
  void write_tables(const ElfLayout &layout, MutableByteSpan out, u32 part) const;
  void write_contents(const ElfLayout &layout, MutableByteSpan out, u32 first, u32 last) const;

  // lay_out() and write() into a buffer.
  [[nodiscard]] Result<std::vector<u8>> finish() const;

private:
  friend class ElfLayouter;
  friend class ElfEmitter;

  struct OldName {
    SectionId section;
    std::string_view name;
  };
  struct LateName {
    SymbolId symbol;
    std::string_view name;
  };
  struct EarlyString {
    std::string_view text;
    bool separately;
  };

  std::string_view keep(std::string_view text);
  std::string_view keep_name(std::string_view name) {
    return options_.borrow_names ? name : keep(name);
  }

  BuilderOptions options_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_; // copied names and contents
  BuiltSections sections_;
  EntryLists<Fixup> fixups_;
  EntryLists<RelocationSpec> relocations_;
  BuiltSymbols symbols_;
  std::vector<EarlyString> strings_;
  u32 first_separate_ = kNoNumber; // a SectionId
  std::vector<OldName> old_names_;
  std::vector<LateName> late_names_;
  SectionId flags_section_;
  std::optional<std::vector<SectionId>> uncounted_; // set: see number_sections_as_added
};

} // namespace culink::elf
