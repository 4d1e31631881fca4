// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host object with shorter sections. Nothing in a relocatable file has an address yet, so all
// that has to be written anew are the offsets of sections in the file: they follow each other in
// their old order, aligned, and the table of sections follows them.
//
// What may surprise: a relocation that lies in a changed section would no longer fit, and such
// files are refused; compilers put none there.
#include "edit/rewrite_container.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "elf/constants.h"
#include "elf/wire.h"
#include "input/archive.h"
#include "support/bytes.h"

namespace culink {

namespace {

using elf::wire::Ehdr64;
using elf::wire::Shdr64;
using elf::wire::Sym64;

constexpr u64 kTableAlignment = 8;

struct HostTables {
  Ehdr64 header{};
  std::vector<Shdr64> sections;
};

bool has_bytes(const Shdr64 &section) {
  return section.sh_type != static_cast<u32>(elf::SectionType::Nobits);
}

Result<HostTables> read_tables(ByteSpan file) {
  const std::optional<Ehdr64> header = load_at<Ehdr64>(file, 0);
  if (!header || header->e_shentsize != sizeof(Shdr64) || header->e_phnum != 0)
    return Error{"header", "", "is not that of a relocatable 64-bit file"};
  const std::optional<Shdr64> first = load_at<Shdr64>(file, header->e_shoff);
  if (!first)
    return Error{"section table", "", "lies outside the file"};
  HostTables out{*header, {}};
  const u64 count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
  for (u64 i = 0; i < count; ++i) {
    const std::optional<Shdr64> row = load_at<Shdr64>(file, header->e_shoff + i * sizeof(Shdr64));
    if (!row || (has_bytes(*row) && i != 0 && !slice(file, row->sh_offset, row->sh_size)))
      return Error{"section table", fmt::format("section {}", i), "lies outside the file"};
    out.sections.push_back(*row);
  }
  return out;
}

bool is_relocation_table(const Shdr64 &section) {
  return section.sh_type == static_cast<u32>(elf::SectionType::Rela) ||
         section.sh_type == static_cast<u32>(elf::SectionType::Rel);
}

// The symbols of a table, with sizes that fit into the changed sections.
std::vector<u8> fit_symbols(ByteSpan table, const std::map<u32, std::vector<u8>> &changed) {
  std::vector<u8> out(table.begin(), table.end());
  for (u64 at = 0; at + sizeof(Sym64) <= out.size(); at += sizeof(Sym64)) {
    Sym64 symbol = load_le<Sym64>(out.data() + at);
    const auto section = changed.find(symbol.st_shndx);
    if (section == changed.end() || symbol.st_size == 0)
      continue;
    const u64 size = section->second.size();
    symbol.st_size = std::min<u64>(symbol.st_size, size - std::min<u64>(symbol.st_value, size));
    store_le(out.data() + at, symbol);
  }
  return out;
}

} // namespace

Result<std::vector<u8>> resize_sections(ByteSpan file,
                                        const std::map<u32, std::vector<u8>> &changed) {
  Result<HostTables> tables = read_tables(file);
  if (!tables)
    return tables.error();
  std::vector<Shdr64> &sections = tables->sections;
  for (const Shdr64 &section : sections)
    if (is_relocation_table(section) && changed.contains(section.sh_info) && section.sh_size != 0)
      return Error{fmt::format("section {}", section.sh_info), "", "has relocations"};
  u64 limit = file.size(); // of the new file, without its table
  for (const auto &[index, bytes] : changed)
    limit += bytes.size();
  std::vector<u32> order(sections.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return sections[a].sh_offset < sections[b].sh_offset; });
  std::vector<u8> out(sizeof(Ehdr64));
  u64 old_end = out.size();
  for (const u32 i : order) {
    Shdr64 &section = sections[i];
    if (i == 0 || section.sh_type == static_cast<u32>(elf::SectionType::Null))
      continue;
    if (has_bytes(section) && section.sh_size != 0) {
      if (section.sh_offset < old_end)
        return Error{fmt::format("section {}", i), "sh_offset", "lies in another section"};
      old_end = section.sh_offset + section.sh_size;
    }
    const auto contents = changed.find(i);
    std::vector<u8> bytes;
    if (has_bytes(section))
      bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(section.sh_offset),
                   file.begin() + static_cast<std::ptrdiff_t>(section.sh_offset + section.sh_size));
    if (contents != changed.end())
      bytes = contents->second;
    else if (section.sh_type == static_cast<u32>(elf::SectionType::Symtab))
      bytes = fit_symbols(bytes, changed);
    const u64 alignment = std::max<u64>(section.sh_addralign, 1);
    if (!std::has_single_bit(alignment) || alignment > limit ||
        align_up(out.size(), alignment) > limit)
      return Error{fmt::format("section {}", i), "sh_addralign", "is not that of a host object"};
    out.resize(align_up(out.size(), alignment));
    section.sh_offset = out.size();
    if (contents != changed.end())
      section.sh_size = bytes.size();
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  out.resize(align_up(out.size(), kTableAlignment));
  tables->header.e_shoff = out.size();
  for (const Shdr64 &section : sections) {
    out.resize(out.size() + sizeof section);
    store_le(out.data() + out.size() - sizeof section, section);
  }
  store_le(out.data(), tables->header);
  return out;
}

// ---- Archives
//
// Members of an archive become shorter or longer; everything else in it stays as it is. Headers are
// text and are kept but for the size. The index of symbols, which is the first member, has the
// offsets of the members in it, big-endian, of 4 or 8 bytes: these are looked up in a map from old
// offsets to new ones at the end. BSD's index is written otherwise, and is refused.

namespace {

constexpr u64 kHeaderSize = 60, kSizeAt = 48, kSizeLength = 10, kNameLength = 16;
constexpr std::string_view kArchiveStart = "!<arch>\n";

Error refuse(std::string message) {
  return {"archive", "", std::move(message)};
}

u64 load_big(const u8 *bytes, size_t width) {
  u64 value = 0;
  for (size_t i = 0; i < width; ++i)
    value = value << 8 | bytes[i];
  return value;
}

void store_big(u8 *bytes, size_t width, u64 value) {
  for (size_t i = width; i-- > 0; value >>= 8)
    bytes[i] = static_cast<u8>(value);
}

// Puts new offsets into the index: a count, so many offsets, then names.
bool move_index(std::vector<u8> &archive, u64 begin, u64 size, size_t width,
                const std::map<u64, u64> &places) {
  if (size < width)
    return size == 0;
  const u64 count = load_big(archive.data() + begin, width);
  if (count > size / width - 1)
    return false;
  for (u64 i = 1; i <= count; ++i) {
    u8 *field = archive.data() + begin + i * width;
    const auto found = places.find(load_big(field, width));
    if (found == places.end() || (width == 4 && found->second > ~u32{0}))
      return false;
    store_big(field, width, found->second);
  }
  return true;
}

// The part of the archive before a member: an index or a table of names, which is copied.
struct Copied {
  std::string_view name;
  u64 size;
};

Copied header_at(ByteSpan archive, u64 offset) {
  const std::string_view text = as_text(archive.subspan(offset, kHeaderSize));
  const std::string_view name = text.substr(0, kNameLength);
  const std::string size(text.substr(kSizeAt, kSizeLength));
  return {name.substr(0, name.find(' ')), std::strtoull(size.c_str(), nullptr, 10)};
}

} // namespace

Result<std::vector<u8>> rewrite_archive(
    ByteSpan archive,
    const std::function<Result<std::vector<u8>>(const std::string &name, ByteSpan bytes)>
        &rewrite) {
  const Result<std::vector<ArchiveMember>> members = read_archive(archive);
  if (!members)
    return members.error();
  std::vector<u8> out(kArchiveStart.begin(), kArchiveStart.end());
  std::map<u64, u64> places;
  u64 index = 0, index_size = 0;
  size_t width = 0;
  u64 offset = kArchiveStart.size();
  const auto append = [&out](ByteSpan bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); };
  const auto copy_until = [&](u64 end) { // whatever is no member
    while (offset < end) {
      const Copied header = header_at(archive, offset);
      if (header.name == "/" || header.name == "/SYM64/") {
        index = out.size() + kHeaderSize;
        index_size = header.size;
        width = header.name == "/" ? 4 : 8;
      } else if (header.name.starts_with("__.SYMDEF") || header.name.starts_with("#1/")) {
        return false;
      }
      const u64 next =
          std::min<u64>(align_up(offset + kHeaderSize + header.size, 2), archive.size());
      append(archive.subspan(offset, next - offset));
      out.resize(align_up(out.size(), 2), '\n');
      offset = next;
    }
    return true;
  };
  for (const ArchiveMember &member : *members) {
    if (member.thin)
      return refuse("is thin; its members are files of their own");
    if (!copy_until(member.offset))
      return refuse("has an index in BSD's form");
    Result<std::vector<u8>> bytes = rewrite(member.name, member.data);
    if (!bytes)
      return Error{member.name, bytes.error().field, bytes.error().text()};
    places[member.offset] = out.size();
    append(archive.subspan(offset, kHeaderSize));
    // BSD's long names are a part of the data.
    const u64 start = static_cast<u64>(member.data.data() - archive.data());
    const ByteSpan name = archive.subspan(offset + kHeaderSize, start - offset - kHeaderSize);
    const std::string size = fmt::format("{:<10}", name.size() + bytes->size());
    if (size.size() > kSizeLength)
      return refuse("a member is too large");
    std::memcpy(out.data() + out.size() - kHeaderSize + kSizeAt, size.data(), kSizeLength);
    append(name);
    append(*bytes);
    out.resize(align_up(out.size(), 2), '\n');
    offset = std::min<u64>(align_up(start + member.data.size(), 2), archive.size());
  }
  if (!copy_until(archive.size()))
    return refuse("has an index in BSD's form");
  if (width != 0 && !move_index(out, index, index_size, width, places))
    return refuse("has an index that does not fit its members");
  return out;
}

} // namespace culink
