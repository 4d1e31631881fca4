// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An archive is a chain of members, each after a header of 60 characters. Names longer than 15
// characters are in a table ("//") to which the header's name "/123" points, or, BSD style, at the
// start of the member's data ("#1/20"). A thin archive has headers only; its names are paths, which
// may contain slashes, so an entry of the table ends with "/\n" and not with the first slash.
#include "input/archive.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink {

namespace {

struct WireMember {
  char name[16];
  char date[12];
  char owner[6];
  char group[6];
  char mode[8];
  char size[10];
  char end[2];
};
static_assert(sizeof(WireMember) == 60);

constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::string_view kThinArchiveMagic = "!<thin>\n";

std::string_view trimmed(std::string_view field) {
  const size_t last = field.find_last_not_of(' ');
  return last == std::string_view::npos ? "" : field.substr(0, last + 1);
}

std::optional<u64> decimal(std::string_view text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool is_index(std::string_view name) {
  return name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF");
}

} // namespace

Error ArchiveReader::refuse(std::string_view field, std::string message) const {
  return {fmt::format("archive member at {:#x}", offset_), std::string(field), std::move(message)};
}

// Marks an error as a member or header that extends past the end of the file.
std::optional<Error> ArchiveReader::cut(Error error) {
  offset_ = bytes_.size();
  return drops_ ? std::nullopt : std::optional(std::move(error));
}

std::optional<std::string> ArchiveReader::name_of(std::string_view field, ByteSpan &data) const {
  if (field.starts_with("#1/") && !drops_) {
    const std::optional<u64> size = decimal(field.substr(3));
    if (!size || *size > data.size())
      return std::nullopt;
    const std::string_view name = as_text(data.first(*size));
    data = data.subspan(*size);
    return std::string(name.substr(0, name.find('\0')));
  }
  if (field.size() > 1 && field[0] == '/') {
    // GNU ar leaves a slash in the last column if the name has 15 characters.
    if (field.size() == sizeof(WireMember::name) && field.ends_with('/'))
      field.remove_suffix(1);
    const std::optional<u64> place = decimal(trimmed(field.substr(1)));
    if (!place || *place >= long_names_.size())
      return std::nullopt;
    const std::string_view rest = long_names_.substr(*place);
    const size_t end = rest.find('\n');
    std::string_view name = rest.substr(0, end);
    if (name.ends_with('/'))
      name.remove_suffix(1);
    return std::string(name);
  }
  if (field.ends_with('/'))
    field.remove_suffix(1);
  return std::string(field);
}

std::optional<Error> ArchiveReader::read_member(std::optional<ArchiveMember> &out) {
  const std::optional<WireMember> wire = load_at<WireMember>(bytes_, offset_);
  if (!wire)
    return cut(refuse("", "the file ends inside its header"));
  const auto field = [](const auto &chars) {
    return trimmed(std::string_view(chars, sizeof chars));
  };
  const std::optional<u64> size = decimal(field(wire->size));
  if (!size)
    return refuse("size", fmt::format("'{}' is not a number", field(wire->size)));
  if (std::string_view(wire->end, 2) != "`\n" && !drops_)
    return refuse("end of header", "is not a back quote and a new line");
  const std::string_view raw_name = field(wire->name);
  const bool is_table = raw_name == "//";
  const bool outside = thin_ && !is_table && !is_index(raw_name);
  const u64 start = offset_ + sizeof *wire;
  std::optional<ByteSpan> inside = slice(bytes_, start, outside ? 0 : *size);
  if (!inside && !checks_bounds_)
    inside = bytes_.subspan(start);
  if (!inside) {
    cut_ = true;
    return refuse("size", fmt::format("{} bytes do not fit into the file", *size));
  }
  ByteSpan data = *inside;
  if (is_table) {
    long_names_ = as_text(data);
    if (long_names_.find('\0') != std::string_view::npos && !drops_)
      return refuse("size", "the table of names is not all text");
  } else if (is_index(raw_name) && as_text(data).starts_with("\x7f"
                                                             "ELF")) {
    if (!drops_)
      return refuse("name", fmt::format("'{}' is for a symbol index, not for an object", raw_name));
  } else if (!is_index(raw_name)) {
    const std::optional<std::string> name = name_of(raw_name, data);
    if (!name)
      return refuse("name", fmt::format("'{}' leads nowhere", raw_name));
    if (!is_index(*name))
      out = ArchiveMember{*name, offset_, data, outside ? *size : data.size(), outside};
  }
  offset_ = align_up(start + inside->size(), 2);
  return std::nullopt;
}

std::optional<Error> ArchiveReader::begin() {
  const std::string_view text = as_text(bytes_);
  thin_ = text.starts_with(kThinArchiveMagic);
  if (!thin_ && !text.starts_with(kArchiveMagic))
    return Error{"", "magic", "not an archive"};
  offset_ = kArchiveMagic.size();
  return std::nullopt;
}

Result<std::optional<ArchiveMember>> ArchiveReader::next() {
  if (offset_ == 0)
    if (std::optional<Error> error = begin())
      return std::move(*error);
  std::optional<ArchiveMember> member;
  while (!member && offset_ < bytes_.size())
    if (std::optional<Error> error = read_member(member))
      return std::move(*error);
  return member;
}

Result<std::vector<ArchiveMember>> read_archive(ByteSpan bytes, ArchiveDamage damage) {
  ArchiveReader reader(bytes, damage);
  std::vector<ArchiveMember> members;
  for (;;) {
    Result<std::optional<ArchiveMember>> member = reader.next();
    if (!member)
      return member.error();
    if (!*member)
      return members;
    members.push_back(std::move(**member));
  }
}

} // namespace culink
