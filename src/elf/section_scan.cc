// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static libraries of CUDA have a million sections, a thousandth of which is of interest.
// Making a Section of each, with a search for the end of its name, takes ten times as long as
// reading the table. So headers are read in place, a name is compared by its first eight bytes, and
// any anomaly ends the scan without an explanation: ElfView gives the error.
#include "elf/section_scan.h"

#include "elf/header_fields.h"
#include "elf/wire.h"

namespace culink::elf {

namespace {

// Returns the first bytes of a string inside `strings`, with zeros after the end of the table.
u64 first_bytes(ByteSpan strings, u64 offset) {
  if (strings.size() - offset >= sizeof(u64))
    return load_le<u64>(strings.data() + offset);
  u64 word = 0;
  std::memcpy(&word, strings.data() + offset, strings.size() - offset);
  return word;
}

bool is_sound(const wire::Shdr64 &raw, ByteSpan file, u32 count) {
  const SectionType type = static_cast<SectionType>(raw.sh_type);
  if (!has_no_file_data(type) &&
      (raw.sh_offset > file.size() || file.size() - raw.sh_offset < raw.sh_size))
    return false;
  if ((raw.sh_addralign & (raw.sh_addralign - 1)) != 0)
    return false;
  if (type == SectionType::Null) // section 0 may hold the true counts instead of its own fields
    return true;
  if (raw.sh_link >= count)
    return false;
  const bool info_is_section = (raw.sh_flags & kFlagInfoLink) != 0 || is_relocation_table(type);
  return !info_is_section || raw.sh_info < count;
}

struct HeaderTable {
  ByteSpan headers;
  u64 name_section = 0;
};

// Returns the table of a 64-bit file. Section 0 holds counts that do not fit the header.
std::optional<HeaderTable> section_table(ByteSpan file, const wire::Ehdr64 &header) {
  const bool plain = std::memcmp(header.e_ident, kElfMagic, sizeof(kElfMagic)) == 0 &&
                     header.e_ident[kIdentClass] == static_cast<u8>(ElfClass::Elf64) &&
                     header.e_ident[kIdentData] == kDataLittleEndian &&
                     header.e_shentsize == sizeof(wire::Shdr64) && header.e_shoff != 0;
  const std::optional<wire::Shdr64> first = load_at<wire::Shdr64>(file, header.e_shoff);
  if (!plain || !first)
    return std::nullopt;
  const u64 count = header.e_shnum == 0 ? first->sh_size : header.e_shnum;
  const u64 names = header.e_shstrndx == kSectionXindex ? first->sh_link : header.e_shstrndx;
  if (names == 0 || names >= count || count > file.size() / sizeof(wire::Shdr64))
    return std::nullopt;
  const std::optional<ByteSpan> headers = slice(file, header.e_shoff, count * sizeof(wire::Shdr64));
  return headers ? std::optional(HeaderTable{*headers, names}) : std::nullopt;
}

} // namespace

std::optional<SectionScan> scan_sections(ByteSpan file, std::span<const NameStart> starts) {
  const std::optional<wire::Ehdr64> header = load_at<wire::Ehdr64>(file, 0);
  if (!header)
    return std::nullopt;
  const std::optional<HeaderTable> table = section_table(file, *header);
  if (!table)
    return std::nullopt;
  const auto read = [&](u64 i) {
    return load_le<wire::Shdr64>(table->headers.data() + i * sizeof(wire::Shdr64));
  };
  const wire::Shdr64 names = read(table->name_section);
  const std::optional<ByteSpan> strings = slice(file, names.sh_offset, names.sh_size);
  if (has_no_file_data(static_cast<SectionType>(names.sh_type)) || !strings || strings->empty() ||
      strings->front() != 0 || strings->back() != 0)
    return std::nullopt;
  SectionScan out;
  out.count = static_cast<u32>(table->headers.size() / sizeof(wire::Shdr64));
  for (u32 i = 0; i < out.count; ++i) {
    const wire::Shdr64 raw = read(i);
    if (!is_sound(raw, file, out.count) || raw.sh_name >= strings->size())
      return std::nullopt;
    const u64 name = first_bytes(*strings, raw.sh_name);
    out.all_named &= (name & 0xff) != 0 || i == 0;
    for (const NameStart &start : starts)
      if (start.begins(name)) {
        Section &section = out.wanted.emplace_back(widen_section(raw, i, *strings));
        if (!section.no_data())
          section.data = file.subspan(section.offset, section.size);
        break;
      }
  }
  return out;
}

} // namespace culink::elf
