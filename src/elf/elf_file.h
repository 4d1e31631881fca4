// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file under construction: a table of sections, a table of symbols, and the few other parts of a
// device file. The linker and the assembler fill it, lay_out() assigns every number and offset, and
// write_contents() and write_tables() make the bytes. ElfWriter (culink/elf_writer.h) is the
// checked interface for other programs; this class only has the necessary checks.
//
// It extends ElfWriter with the features for writing files exactly like ptxas and nvlink, such as
// names of sections that are not in the file, symbols in an unusual part of the table, and sections
// that were renamed late. Names and contents are borrowed until the file is written.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/name_offsets.h"
#include "elf/section_table.h"
#include "elf/symbol_table.h"
#include "support/result.h"
#include "support/types.h"
#include "support/worker_pool.h"

namespace culink::elf {

struct FileOptions {
  FileType type = FileType::Relocatable;
  ElfClass elf_class = ElfClass::Elf64;
  u32 flags = 0; // e_flags without the index of flags_section, which is in the top byte
  u8 os_abi = kOsAbiCuda;
  u8 abi_version = 8;
  u32 version = 1;                             // e_version; the toolkit in files of ABI 7
  SegmentRule segments = SegmentRule::Classic; // executables only
  u16 phentsize_without_segments = 56;         // objects of ptxas have 0 for sm_90 and later
  // Symbols of section 0xfff2 look like common symbols, and section 0xff00 is not always escaped as
  // a large index: see is_large_index (Q059).
  bool lose_section_fff2 = false;
  // Stores only used names, in file order, names of .symtab first, and each once. Headers follow
  // the contents without a gap.
  bool compact = false;
  u32 section_names_room = 0; // unused bytes at the end of .shstrtab
};

struct RelocationSpec {
  u64 offset = 0;
  u32 type = 0;
  SymbolId symbol = {}; // none: symbol 0
  i64 addend = 0;       // ignored in tables without addends
};

// The layout of a file. Ids index the vectors.
struct ElfLayout {
  struct Segment {
    SegmentType type;
    u32 flags;
    u64 offset, filesz, memsz;
  };
  u64 file_size = 0;
  u64 section_table = 0; // e_shoff
  u64 segment_table = 0; // e_phoff; 0 without segments
  u32 section_count = 0; // includes the null section
  SymbolNumbers symbols;
  PlacedNames shstrtab;         // by SectionId; in a compact file by position in `order`
  PlacedNames strtab;           // of strings, symbols in the order of their numbers, and late names
  std::vector<SectionId> order; // emitted sections, in file order
  std::vector<u32> section_index;    // by SectionId; 0: not emitted
  std::vector<u64> content_offset;   // by position in `order`
  std::vector<u32> number_as_added;  // by SectionId, or empty; see ElfFile
  std::vector<u32> string_offset;    // by add_string's result: offset in .strtab
  std::vector<u32> symbol_name;      // by SymbolId: offset in .strtab
  std::vector<u32> late_symbol_name; // the same with late names, or none
  std::array<u64, SectionTable::kOwnTables> table_sizes{};
  std::vector<Segment> segments;

  [[nodiscard]] u32 index_of(SectionId id) const { return section_index[id.value]; }
  // Returns 0 if the section is not in the file.
  [[nodiscard]] u64 offset_of(SectionId id) const {
    const u32 index = section_index[id.value];
    return index != 0 ? content_offset[index - 1] : 0;
  }
  [[nodiscard]] u32 number_of(SymbolId id) const { return symbols.of[id.value]; }
  [[nodiscard]] u64 size_of(SectionId id, const OutSection &section) const {
    return id.value < SectionTable::kOwnTables ? table_sizes[id.value] : section.size;
  }
};

class ElfFile {
public:
  // Adds the section symbols of the tables that every file has.
  explicit ElfFile(const FileOptions &options, SectionTable table = {});

  static constexpr SectionId kShstrtab = SectionTable::kShstrtab, kStrtab = SectionTable::kStrtab,
                             kSymtab = SectionTable::kSymtab,
                             kSymtabShndx = SectionTable::kSymtabShndx;

  FileOptions options;
  SectionTable sections;
  OutSymbols symbols;
  SectionId flags_section; // its index goes to the top byte of e_flags: .note.nv.cuinfo in ABI 8

  [[nodiscard]] bool wide() const { return options.elf_class == ElfClass::Elf64; }

  // Adds the table .rel<target> or .rela<target>; entries are written in order of addition.
  SectionId add_relocation_section(SectionId target, bool with_addends);
  void add_relocation(SectionId table, const RelocationSpec &entry);

  // Adds a string to the front of .strtab, before all symbol names: prototypes are there. Equal
  // strings share their bytes, unless `separately`.
  u32 add_string(std::string_view text, bool separately = false) {
    strings_.push_back({text, separately});
    return static_cast<u32>(strings_.size() - 1);
  }

  // Rename sections and symbols after the name tables were made, as nvlink does when it makes
  // machine code of Mercury code. A section's new name overwrites the old one, which is longer; a
  // symbol's new name is appended after all others, and the old one stays.
  void rename_section(SectionId id, std::string_view old_name) {
    old_names_.push_back({id, old_name});
  }
  void rename_symbol(SymbolId id, std::string_view new_name) {
    late_names_.push_back({id, new_name});
  }
  // Sections that are added later do not share their names in .shstrtab.
  void name_separately_from_here() { first_separate_ = sections.size(); }

  // Fills .symtab_shndx, in files that have one, also for symbols that do not need it: with the
  // number that their section had when it was added (Q059). nvlink skips a number after each
  // section of `uncounted`, which must be sorted.
  void number_sections_as_added(std::vector<SectionId> uncounted) {
    uncounted_ = std::move(uncounted);
  }

  // True if a section index does not fit st_shndx. nvlink escapes section 0xff00 in .symtab, but
  // not in the Mercury symbol table, nor for symbols that come with the machine code (Q059).
  [[nodiscard]] bool is_large_index(u32 index) const {
    return index >= kSectionLoReserve + (options.lose_section_fff2 ? 1 : 0);
  }

  // Assigns every number and offset. Nothing may be added afterwards. `numbers`: symbols.numbers().
  [[nodiscard]] Result<ElfLayout> lay_out(SymbolNumbers numbers, WorkerPool &pool) const;
  // Writes the whole file. Precondition: out has layout.file_size bytes, all zero.
  void write(const ElfLayout &layout, MutableByteSpan out) const;
  // The work of write() in parts for several threads: tables of symbols and strings and single
  // headers; then headers and contents of layout.order[first, last).
  [[nodiscard]] u32 table_parts(const ElfLayout &layout) const;
  void write_tables(const ElfLayout &layout, MutableByteSpan out, u32 part) const;
  void write_contents(const ElfLayout &layout, MutableByteSpan out, u32 first, u32 last) const;

  // Runs lay_out() and write() into a buffer.
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

  std::vector<EarlyString> strings_;
  u32 first_separate_ = kNoNumber; // a SectionId
  std::vector<OldName> old_names_;
  std::vector<LateName> late_names_;
  std::optional<std::vector<SectionId>> uncounted_; // set by number_sections_as_added
};

} // namespace culink::elf
