// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds cubins and relocatable device objects, as the back end of a compiler does. A program adds
// sections, contents, symbols and relocations; the writer makes the file: string tables, symbol
// numbers with locals first, the order of the section table (that of ptxas and nvlink), offsets
// and padding, extended section indices, program headers.
//
// A kernel from raw machine code (examples/write_cubin/write_cubin.cc is the complete program, with
// the records that a driver needs to launch it):
//
//   ElfWriter elf({.type = FileType::Executable, .flags = 90 << 8 | kCodeKindSass});
//   elf.add_notes({.virtual_sm = 90, .tool = "my compiler"});
//   SectionId text = elf.add_section({.name = ".text.k", .flags = kFlagAlloc | kFlagExec,
//                                     .align = 128, .link = elf.symtab()});
//   elf.append(text, machine_code);
//   SymbolId k = elf.add_symbol({.name = "k", .type = SymbolType::Function,
//                                .other = kOtherKernel, .section = text,
//                                .size = machine_code.size()});
//   elf.set_info(text, k);
//   Result<std::vector<u8>> file = elf.finish();
//
// Order: sections and symbols of one kind appear in the order in which they were added, and so do
// their names in the string tables. Equal calls give equal bytes.
//
// Lifetime: names are copied. Content given to append() is borrowed until finish() has returned;
// append_copy() copies it. The result owns its bytes.
//
// Errors: calls do not fail on their own. Whatever is wrong with the file, or with a call (an id of
// another writer, an alignment that is not a power of two), is reported by finish(), the first one
// first. The only exception is std::bad_alloc. Only one thread at a time may use a writer.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "culink/elf_constants.h"
#include "culink/result.h"
#include "culink/types.h"

namespace culink::elf {

using SectionId = Id<struct SectionTag>;
using SymbolId = Id<struct SymbolTag>;
using StringId = Id<struct StringTag>;

// The low byte of e_flags in files of ABI version 8: the kind of code in text sections. The second
// byte is the number of the target: 90 for sm_90.
inline constexpr u32 kCodeKindSass = 0x04;
inline constexpr u32 kCodeKindMercury = 0x02;

// Which program headers an executable gets. Classic: the header table, constants and code, writable
// data, the header table again. Mercury (sm_100 and later): one for each kind of content.
enum class SegmentRule : u8 { None, Classic, Mercury };

// sh_info: a plain number, a section's index, or a symbol's number with the register count of old
// targets in the top byte.
class InfoField {
public:
  struct SymbolNumber {
    SymbolId symbol;
    u8 top_byte = 0;
  };

  InfoField(u32 number = 0) : value_(number) {}
  InfoField(SectionId section) : value_(section) {}
  InfoField(SymbolId symbol, u8 top_byte = 0) : value_(SymbolNumber{symbol, top_byte}) {}
  [[nodiscard]] const std::variant<u32, SectionId, SymbolNumber> &value() const { return value_; }

private:
  std::variant<u32, SectionId, SymbolNumber> value_;
};

class ElfWriter {
public:
  struct Options {
    FileType type = FileType::Relocatable;
    ElfClass elf_class = ElfClass::Elf64;
    u32 flags = 0; // e_flags, without the top byte; see set_flags_section()
    u8 os_abi = kOsAbiCuda;
    u8 abi_version = 8;
    SegmentRule segments = SegmentRule::Classic; // for executables only
  };

  struct Section {
    std::string_view name;
    SectionType type = SectionType::Progbits;
    u64 flags = 0;
    u64 align = 1;
    u64 entsize = 0;
    SectionId link = {}; // none: 0
    InfoField info = {};
  };

  struct Symbol {
    std::string_view name;
    SymbolBinding binding = SymbolBinding::Global;
    SymbolType type = SymbolType::NoType;
    u8 other = 0;            // bits kOther...
    SectionId section = {};  // none: undefined, unless special_section is set
    u16 special_section = 0; // kSectionAbsolute, kSectionCommon
    u64 value = 0;
    u64 size = 0;
  };

  struct Relocation {
    u64 offset = 0;       // in the section that the table is for
    u32 type = 0;         // R_CUDA_... number
    SymbolId symbol = {}; // none: symbol 0
    i64 addend = 0;       // ignored in tables without addends
  };

  // The content of the notes that every file of ABI 8 has: its target and the tool that made it.
  struct Notes {
    u16 virtual_sm = 0;    // 90 for compute_90
    u32 toolkit = 130;     // 130 for CUDA 13.0
    std::string_view tool; // the program that writes the file
    std::string_view tool_version;
    std::string_view build;
    std::string_view options;
  };

  explicit ElfWriter(const Options &options);
  ~ElfWriter();
  ElfWriter(ElfWriter &&) noexcept;
  ElfWriter &operator=(ElfWriter &&) noexcept;

  // The tables that every file has. The writer fills them; other sections name them in `link`.
  [[nodiscard]] SectionId shstrtab() const;
  [[nodiscard]] SectionId strtab() const;
  [[nodiscard]] SectionId symtab() const;

  SectionId add_section(const Section &section);
  // Set fields that are known only later, because sections and symbols refer to each other.
  void set_flags(SectionId section, u64 flags);
  void set_link(SectionId section, SectionId link);
  void set_info(SectionId section, InfoField info);
  // Sets the section with the index for the top byte of e_flags: .note.nv.cuinfo in ABI 8.
  void set_flags_section(SectionId section);

  // Adds .note.nv.tkinfo and .note.nv.cuinfo with their symbols, and calls set_flags_section() with
  // the latter, which it returns. Linkers refuse files of ABI 8 without them.
  SectionId add_notes(const Notes &notes);

  // Appends zero bytes up to `align`, then the content, and returns the offset of the content.
  u64 append(SectionId section, ByteSpan borrowed, u64 align = 1);
  u64 append_copy(SectionId section, ByteSpan bytes, u64 align = 1);
  // Appends `size` zero bytes; in sections without file data, reserves this much memory.
  u64 append_zeros(SectionId section, u64 size, u64 align = 1);
  // Returns the number of bytes added so far.
  [[nodiscard]] u64 size(SectionId section) const;

  SymbolId add_symbol(const Symbol &symbol);
  // A local symbol of type Section that carries the section's name.
  SymbolId add_section_symbol(SectionId section);

  // Adds the table .rel<target> or .rela<target>. Relocations keep the order in which they are
  // added.
  SectionId add_relocation_section(SectionId target, bool with_addends);
  void add_relocation(SectionId table, const Relocation &relocation);

  // Adds a string that is not a name to the front of .strtab, the place for prototypes of
  // functions. Equal strings share their bytes.
  StringId add_string(std::string_view text);

  // These store a number that exists only in the finished file in the 32-bit word at `offset` of a
  // section's content. Records of .nv.info, for example, name symbols in this way.
  void store_symbol_number(SectionId section, u64 offset, SymbolId symbol);
  void store_section_index(SectionId section, u64 offset, SectionId named);
  void store_string_offset(SectionId section, u64 offset, StringId string);

  // Returns the whole file. The writer is unchanged, so more may be added and finish() called
  // again.
  [[nodiscard]] Result<std::vector<u8>> finish() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace culink::elf
