// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a file under construction, by SectionId and in order of creation. That order is
// visible in the file: it is the order of the string tables and, inside a bucket, of the section
// table. So sections are not reordered or removed here; a superfluous section changes its Presence.
//
// A large file has some 100,000 sections, most of which have one piece of content at their start.
// Rare properties are in a separate list.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "culink/elf_writer.h"
#include "elf/constants.h"
#include "support/bytes.h"
#include "support/string_index.h"
#include "support/types.h"

namespace culink::elf {

// The group of a section in the section table, which is stably sorted by bucket. The default is the
// order of ptxas and nvlink; buckets above LastDefault are free for a caller's own groups.
enum class Bucket : u8 {
  Tables = 0,
  Debug = 1,
  Metadata = 2,
  Relocations = 3,
  Constants = 4,
  Code = 5,
  Data = 6,
  NoData = 7,
  LastDefault = 7,
  ByHeader = 255, // see default_bucket
};

[[nodiscard]] Bucket default_bucket(std::string_view name, SectionType type, u64 flags);

// How much of a section is part of the file.
enum class Presence : u8 {
  IfUsed,   // if it has content
  Always,   // also if it is empty
  NameOnly, // only the name, in the string tables
  Nothing,  // not even the name
};

// A number of the finished file to store in the content of a section.
struct Fixup {
  enum class Kind : u8 {
    SymbolNumber,      // 32 bits
    SectionIndex,      // 32 bits
    StringOffset,      // 32 bits: the offset in .strtab of what ElfFile::add_string returned
    RelocationSymbol,  // the upper half of r_info
    RelocationSymbol8, // the upper 24 bits of the r_info of a 32-bit file
  };
  u64 offset = 0;
  Kind kind = Kind::SymbolNumber;
  u32 id = 0;
};

struct SectionPiece {
  u64 offset = 0;
  ByteSpan bytes;
};

// Properties that few sections have.
struct SectionExtra {
  std::vector<SectionPiece> pieces; // pieces after OutSection::first, in order
  std::vector<Fixup> fixups;
  SectionId shares_bytes_with = {}; // of a Mercury counterpart without bytes of its own
  u64 gap_after = 0;                // unused zero bytes after the content
};

struct OutSection {
  static constexpr u32 kNoExtra = 0xffffffff;

  u32 name = 0; // in SectionTable::names
  SectionType type = SectionType::Progbits;
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  u64 size = 0;
  SectionId link = {};
  InfoField info = {};
  ByteSpan first;       // the content at offset 0, borrowed; bytes outside all pieces are zero
  u32 extra = kNoExtra; // in SectionTable::extras
  Presence presence = Presence::IfUsed;
  Bucket bucket = Bucket::ByHeader;
  bool has_symbol = false; // set by a linker: the section symbol is in the file if the section is

  [[nodiscard]] bool emitted() const {
    return presence == Presence::Always || (presence == Presence::IfUsed && size != 0);
  }
  [[nodiscard]] bool discarded() const { return presence == Presence::Nothing; }
  // Returns the section that sh_info names, to which this one belongs.
  [[nodiscard]] SectionId target() const {
    const SectionId *section = std::get_if<SectionId>(&info.value());
    return section ? *section : SectionId();
  }
};

// Returns the header of a relocation table, with or without addends.
[[nodiscard]] OutSection relocation_table(SectionId target, bool addends, bool wide = true);

struct SectionTable {
  // The tables that every file has; .symtab_shndx is only in the file if needed.
  static constexpr SectionId kShstrtab{0}, kStrtab{1}, kSymtab{2}, kSymtabShndx{3};
  static constexpr u32 kOwnTables = 4;

  SectionTable();

  std::vector<OutSection> list; // by SectionId
  StringIndex names;
  std::vector<SectionExtra> extras;
  NameStorage storage; // generated names and contents

  [[nodiscard]] u32 size() const { return static_cast<u32>(list.size()); }
  [[nodiscard]] OutSection &operator[](SectionId id) { return list[id.value]; }
  [[nodiscard]] const OutSection &operator[](SectionId id) const { return list[id.value]; }
  [[nodiscard]] std::string_view name(const OutSection &section) const {
    return names[section.name];
  }
  [[nodiscard]] std::string_view name(SectionId id) const { return name(list[id.value]); }
  // Valid until another section gets one.
  [[nodiscard]] SectionExtra &extra(SectionId id) {
    OutSection &section = list[id.value];
    if (section.extra == OutSection::kNoExtra) {
      section.extra = static_cast<u32>(extras.size());
      extras.emplace_back();
    }
    return extras[section.extra];
  }
  [[nodiscard]] const SectionExtra *find_extra(const OutSection &section) const {
    return section.extra != OutSection::kNoExtra ? &extras[section.extra] : nullptr;
  }

  // The name must outlive the table or come from `storage`.
  SectionId add(std::string_view name, OutSection section) {
    section.name = names.insert(name).first;
    list.push_back(section);
    return SectionId(size() - 1);
  }
  // Returns the content of a section.
  [[nodiscard]] std::vector<SectionPiece> pieces(SectionId id) const {
    std::vector<SectionPiece> out;
    if (!list[id.value].first.empty())
      out.push_back({0, list[id.value].first});
    if (const SectionExtra *extra = find_extra(list[id.value]))
      out.insert(out.end(), extra->pieces.begin(), extra->pieces.end());
    return out;
  }
  // Removes the content of a section and keeps the size.
  void clear_content(SectionId id) {
    list[id.value].first = {};
    if (list[id.value].extra != OutSection::kNoExtra)
      extras[list[id.value].extra].pieces.clear();
  }
  void rename(SectionId id, std::string_view name) {
    list[id.value].name = names.insert(name).first;
  }

  // Adds content at an offset after all other content. The caller sets the size.
  void add_piece(SectionId id, u64 offset, ByteSpan bytes) {
    if (bytes.empty())
      return;
    if (offset == 0)
      list[id.value].first = bytes;
    else
      extra(id).pieces.push_back({offset, bytes});
  }
  // Adds content at the end, after zero bytes up to `align`, and returns its offset.
  u64 append(SectionId id, ByteSpan borrowed, u64 align = 1) {
    const u64 offset = append_zeros(id, borrowed.size(), align);
    add_piece(id, offset, borrowed);
    return offset;
  }
  u64 append_copy(SectionId id, ByteSpan bytes, u64 align = 1) {
    return append(id, as_bytes(storage.keep(as_text(bytes))), align);
  }
  // Appends bytes that the caller fills before the file is written.
  [[nodiscard]] MutableByteSpan append_room(SectionId id, u64 room) {
    const MutableByteSpan bytes(reinterpret_cast<u8 *>(storage.allocate(room)), room);
    append(id, bytes);
    return bytes;
  }
  // Appends zero bytes; in a section without file data, memory.
  u64 append_zeros(SectionId id, u64 zeros, u64 align = 1) {
    OutSection &section = list[id.value];
    const u64 offset = align_up(section.size, align);
    section.size = offset + zeros;
    return offset;
  }
  void add_fixup(SectionId id, const Fixup &fixup) { extra(id).fixups.push_back(fixup); }
};

} // namespace culink::elf
