// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tar archives as POSIX has described them since 1988 (ustar): blocks of 512 bytes, a block of text
// fields before each file, two empty blocks at the end. Any program that unpacks tar files can
// unpack these archives.
//
// An archive may have been unpacked, changed and packed again by another program. Its extended
// headers (pax), which hold times and similar data, are skipped; only names and sizes larger than
// in our own archives need them.
#include "driver/repro/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kBlock = 512;
constexpr std::array<u8, 2 * kBlock> kZeros{};

struct WireTarHeader {
  char name[100];
  char mode[8];
  char owner[8];
  char group[8];
  char size[12];
  char time[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char owner_name[32];
  char group_name[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(WireTarHeader) == kBlock);

constexpr char kRegular = '0', kOldRegular = '\0', kFolderMember = '5', kPax = 'x',
               kPaxForAll = 'g';

template <size_t N> void put(char (&field)[N], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), N));
}

template <size_t N> std::string_view text_of(const char (&field)[N]) {
  return {field, ::strnlen(field, N)};
}

// The sum of all header bytes, with blanks in the checksum field.
u32 checksum(WireTarHeader header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  u32 sum = 0;
  for (const char c : std::string_view(reinterpret_cast<const char *>(&header), sizeof header))
    sum += static_cast<unsigned char>(c);
  return sum;
}

std::optional<u64> octal(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  text = text.substr(0, text.find(' '));
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

bool leads_outside(std::string_view name) {
  if (name.starts_with('/'))
    return true;
  while (!name.empty()) {
    const size_t slash = std::min(name.find('/'), name.size());
    if (name.substr(0, slash) == "..")
      return true;
    name.remove_prefix(std::min(slash + 1, name.size()));
  }
  return false;
}

Error refuse(u64 offset, std::string_view field, std::string message) {
  return {fmt::format("tar header at {:#x}", offset), std::string(field), std::move(message)};
}

Result<TarMember> read_header(ByteSpan bytes, u64 offset, const WireTarHeader &header) {
  const std::optional<u64> sum = octal(text_of(header.checksum));
  if (!sum || *sum != checksum(header))
    return refuse(offset, "checksum", "is not that of the header");
  const std::optional<u64> size = header.type == kFolderMember ? 0 : octal(text_of(header.size));
  if (!size)
    return refuse(offset, "size", "is not an octal number");
  const std::optional<ByteSpan> data =
      *size > bytes.size() ? std::nullopt : slice(bytes, offset + kBlock, *size);
  if (!data)
    return refuse(offset, "size", fmt::format("{} bytes do not fit into the file", *size));
  std::string name(text_of(header.name));
  if (!text_of(header.prefix).empty() && text_of(header.magic) == "ustar")
    name = fmt::format("{}/{}", text_of(header.prefix), name);
  while (name.starts_with("./"))
    name.erase(0, 2);
  if (leads_outside(name))
    return refuse(offset, "name", fmt::format("'{}' leads out of the archive", name));
  return TarMember{std::move(name), *data};
}

} // namespace

void TarWriter::add(std::string_view name, ByteSpan bytes) {
  WireTarHeader header{};
  put(header.name, name);
  put(header.mode, "0000644");
  put(header.owner, "0000000");
  put(header.group, "0000000");
  put(header.size, fmt::format("{:011o}", bytes.size())); // a twelfth digit reaches 64 GB
  put(header.time, "00000000000");
  header.type = kRegular;
  put(header.magic, "ustar");
  put(header.version, "00");
  put(header.device_major, "0000000");
  put(header.device_minor, "0000000");
  put(header.checksum, fmt::format("{:06o}", checksum(header)));
  header.checksum[7] = ' ';
  std::vector<u8> &block = headers_.emplace_back(kBlock);
  std::memcpy(block.data(), &header, sizeof header);
  pieces_.emplace_back(block);
  pieces_.push_back(bytes);
  pieces_.push_back(ByteSpan(kZeros).first(align_up(bytes.size(), kBlock) - bytes.size()));
}

void TarWriter::add_text(std::string_view name, std::string text) {
  add(name, as_bytes(texts_.emplace_back(std::move(text))));
}

const std::vector<ByteSpan> &TarWriter::finish() {
  pieces_.emplace_back(kZeros);
  return pieces_;
}

Result<std::vector<TarMember>> read_tar(ByteSpan bytes) {
  std::vector<TarMember> out;
  for (u64 offset = 0;;) {
    const std::optional<ByteSpan> block = slice(bytes, offset, kBlock);
    if (!block)
      return refuse(offset, "", "the file ends before the archive does");
    if (std::equal(block->begin(), block->end(), kZeros.begin()))
      return out;
    WireTarHeader header;
    std::memcpy(&header, block->data(), sizeof header);
    Result<TarMember> member = read_header(bytes, offset, header);
    if (!member)
      return member.error();
    const u64 start =
        std::exchange(offset, offset + kBlock + align_up(member->bytes.size(), kBlock));
    switch (header.type) {
    case kRegular:
    case kOldRegular:
      out.push_back(std::move(*member));
      break;
    case kFolderMember:
    case kPax:
    case kPaxForAll:
      break;
    default:
      return refuse(start, "type",
                    fmt::format("'{}' is neither a file nor a folder", member->name));
    }
  }
}

} // namespace culink
