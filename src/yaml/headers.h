// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default headers of sections, segments and the file, and default offsets of sections. A document
// need not state these: describe writes the differences, and assemble fills in the defaults.
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

// The facts about a file on which defaults depend.
struct FileFacts {
  elf::FileType type = elf::FileType::Relocatable;
  elf::ElfClass elf_class = elf::ElfClass::Elf64;
  bool has_compat = false; // there is a section .nv.compat, to which .note.nv.cuinfo points
  std::string arch;
  u32 section_count = 0, segment_count = 0;
  u32 name_section = 0, cuinfo_section = 0;
  u64 data_end = 0; // end of the last section
};

// The header that ptxas and nvlink give a section of a name, as the text form omits it. References
// are section names, because indices are assigned later; "" means 0.
struct SectionDefaults {
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  std::string link;
  std::string info_section;
  std::string info_symbol; // a symbol of the table in `link`
};

[[nodiscard]] elf::SectionType default_section_type(std::string_view name, elf::FileType file);
// `type` is the actual type of the section.
[[nodiscard]] SectionDefaults section_defaults(std::string_view name, elf::SectionType type,
                                               const FileFacts &file);

// A section header as stored. In ElfView's sections, invalid values are replaced.
using RawSection = elf::Section;
[[nodiscard]] RawSection raw_section(const elf::ElfView &file, u32 index);

// Precondition: `out` has room for the header. Returns false if a field does not fit class 32.
[[nodiscard]] bool store_header(u8 *out, const elf::FileHeader &header);
[[nodiscard]] bool store_header(u8 *out, const RawSection &section, elf::ElfClass elf_class);
[[nodiscard]] bool store_header(u8 *out, const elf::Segment &segment, elf::ElfClass elf_class);

[[nodiscard]] u64 file_header_size(elf::ElfClass elf_class);
[[nodiscard]] u64 section_header_size(elf::ElfClass elf_class);
[[nodiscard]] u64 segment_header_size(elf::ElfClass elf_class);

// Returns sh_info of a symbol table: the number after the last local symbol. nvlink treats weak
// definitions as locals; ptxas does not always keep locals together.
[[nodiscard]] u32 default_first_global(const std::vector<elf::Symbol> &symbols);

// Returns the bytes of .symtab_shndx that a symbol table needs.
[[nodiscard]] std::vector<u8> extended_indices(const std::vector<elf::Symbol> &symbols);

// True for the keys of a section that give its content. A section has at most one.
[[nodiscard]] bool is_content_key(std::string_view key);

// Returns the unusual fields of section 0 as a map; and section 0 with the fields of such a map.
[[nodiscard]] Node describe_null_section(RawSection section, const FileFacts &facts,
                                         const NameIndex &names);
[[nodiscard]] RawSection read_null_section(const MapReader &map, const FileFacts &facts,
                                           const NameIndex &names, Complaints &complaints);

// The default offset of the next section: after the last one, aligned. As in nvlink, sections
// without data also move the offset.
class FileCursor {
public:
  explicit FileCursor(u64 start) : end_(start) {}

  [[nodiscard]] u64 aligned(u64 align) const;
  void place(u64 offset, u64 bytes) { end_ = offset + bytes; }
  // Continues after a section at an explicit offset.
  void cover(u64 offset, u64 bytes) { end_ = std::max(end_, offset + bytes); }
  [[nodiscard]] u64 end() const { return end_; }

private:
  u64 end_;
};

// Returns the e_flags that toolkit 13 writes for a target; nullopt if the target is not known.
[[nodiscard]] std::optional<u32> default_flags(std::string_view arch_name, u32 cuinfo_section);

// Returns the header of a regular file.
[[nodiscard]] elf::FileHeader default_header(const FileFacts &facts);
// Returns the end of a file: after the sections, and after the tables that the header places.
[[nodiscard]] u64 file_end(const elf::FileHeader &header, const FileFacts &facts);
// Returns the fields of `header` that differ from `otherwise`, as a map.
[[nodiscard]] Node describe_header(elf::FileHeader header, const elf::FileHeader &otherwise);
// Sets the fields of `header` that the map states.
void read_header(const Node &node, elf::FileHeader &header, Complaints &complaints);

// Program headers. A segment is described by its range: `over: headers`, `over: [first, last]`.
struct SegmentContext {
  const NameIndex &names;
  std::vector<RawSection> sections;
  u64 table_offset = 0;
  u64 table_size = 0;
  bool ranges = true; // use [first, last]: false for files with too many segments
};
// Finding the sections of a segment takes linear time for each segment, so the number is limited.
inline constexpr u32 kMaxRangedSegments = 64;
[[nodiscard]] Node describe_segment(elf::Segment segment, const SegmentContext &context);
[[nodiscard]] elf::Segment read_segment(const Node &node, const SegmentContext &context,
                                        Complaints &complaints);

// Returns the bytes to write over `image`, which may be shorter, to get `file`: a list for `patch`.
[[nodiscard]] Node describe_patches(ByteSpan file, ByteSpan image);

} // namespace culink::text
