// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of an archive become shorter or longer; everything else in it stays as it is. Headers are
// text and are kept but for the size. The index of symbols, which is the first member, has the
// offsets of the members in it, big-endian, of 4 or 8 bytes: these are looked up in a map from old
// offsets to new ones at the end. BSD's index is written otherwise, and is refused.
#include "edit/rewrite_archive.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "input/archive.h"
#include "support/bytes.h"

namespace culink {

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
