// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of sections, segments and the file as a regular file has them, and the places of
// sections. A document need not state these: describe states what differs, and assemble fills in
// what is not stated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/constants.h"
#include "elf/elf_view.h"
#include "elf/section_kind.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// The facts about a file that defaults depend on.
struct FileFacts {
  elf::FileType type = elf::FileType::Relocatable;
  elf::ElfClass elf_class = elf::ElfClass::Elf64;
  bool has_compat = false; // a section .nv.compat: .note.nv.cuinfo points to it
  std::string arch;
  u32 section_count = 0, segment_count = 0;
  u32 name_section = 0, cuinfo_section = 0;
  u64 data_end = 0; // where the last section ends
};

// The header that ptxas and nvlink give a section of a name: the fields that the text form leaves
// out. Sections are named, because indices are the writer's business; "" means 0.
struct SectionDefaults {
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  std::string link;
  std::string info_section;
  std::string info_symbol; // a symbol of the table that `link` names
};

[[nodiscard]] elf::SectionType default_section_type(std::string_view name, elf::FileType file);
// `type` is the actual one.
[[nodiscard]] SectionDefaults section_defaults(std::string_view name, elf::SectionType type,
                                               const FileFacts &file);

// A section header as stored. ElfView's sections have sound values in place of broken ones.
using RawSection = elf::Section;
[[nodiscard]] RawSection raw_section(const elf::ElfView &file, u32 index);

// Precondition: `out` has room for the header. False when a field does not fit class 32.
[[nodiscard]] bool store_header(u8 *out, const elf::FileHeader &header);
[[nodiscard]] bool store_header(u8 *out, const RawSection &section, elf::ElfClass elf_class);
[[nodiscard]] bool store_header(u8 *out, const elf::Segment &segment, elf::ElfClass elf_class);

[[nodiscard]] u64 file_header_size(elf::ElfClass elf_class);
[[nodiscard]] u64 section_header_size(elf::ElfClass elf_class);
[[nodiscard]] u64 segment_header_size(elf::ElfClass elf_class);

// sh_info of a symbol table: behind the last local symbol. nvlink counts weak definitions as
// locals; ptxas does not always keep locals together.
[[nodiscard]] u32 default_first_global(const std::vector<elf::Symbol> &symbols);

// The bytes of .symtab_shndx that a symbol table needs.
[[nodiscard]] std::vector<u8> extended_indices(const std::vector<elf::Symbol> &symbols);

// The keys of a section whose value is its content. A section has at most one.
[[nodiscard]] bool is_content_key(std::string_view key);

// The fields of section 0 that are not those of a regular file, as a map; and section 0 with the
// fields that the map states.
[[nodiscard]] Node describe_null_section(RawSection section, const FileFacts &facts,
                                         const NameIndex &names);
[[nodiscard]] RawSection read_null_section(const MapReader &map, const FileFacts &facts,
                                           const NameIndex &names, Complaints &complaints);

// Where the next section goes when the document does not say: behind the last one, aligned. Types
// without data move the place as well, as nvlink does.
class FileCursor {
public:
  explicit FileCursor(u64 start) : end_(start) {}

  [[nodiscard]] u64 aligned(u64 align) const;
  void place(u64 offset, u64 bytes) { end_ = offset + bytes; }
  // For a section at an offset of its own choice.
  void cover(u64 offset, u64 bytes) { end_ = std::max(end_, offset + bytes); }
  [[nodiscard]] u64 end() const { return end_; }

private:
  u64 end_;
};

// The e_flags that toolkit 13 writes for a target. Nothing when the target is not known.
[[nodiscard]] std::optional<u32> default_flags(std::string_view arch_name, u32 cuinfo_section);

// The header of a file in which nothing is unusual.
[[nodiscard]] elf::FileHeader default_header(const FileFacts &facts);
// The end of a file: after the sections, and the tables that the header places.
[[nodiscard]] u64 file_end(const elf::FileHeader &header, const FileFacts &facts);
// The fields of `header` that differ from `otherwise`, as a map.
[[nodiscard]] Node describe_header(elf::FileHeader header, const elf::FileHeader &otherwise);
// `header` with the fields that the map states.
void read_header(const Node &node, elf::FileHeader &header, Complaints &complaints);

// Program headers. A segment is stated over what it covers: `over: headers`, `over: [first, last]`.
struct SegmentContext {
  const NameIndex &names;
  std::vector<RawSection> sections;
  u64 table_offset = 0;
  u64 table_size = 0;
  bool ranges = true; // [first, last] is used: not in files with absurdly many segments
};
// Ranges of sections take time in proportion to the sections, for each segment.
inline constexpr u32 kMaxRangedSegments = 64;
[[nodiscard]] Node describe_segment(elf::Segment segment, const SegmentContext &context);
[[nodiscard]] elf::Segment read_segment(const Node &node, const SegmentContext &context,
                                        Complaints &complaints);

// What must be written over `image`, which may be shorter, to make `file` of it: a list for
// `patch`.
[[nodiscard]] Node describe_patches(ByteSpan file, ByteSpan image);

} // namespace culink::text
