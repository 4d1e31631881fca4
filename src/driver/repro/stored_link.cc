// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a stored link: a tar file with one folder, in which
//
//   version.txt      culink and the compilers that it would use
//   response.txt     the command line for the unpacked folder: culink @response.txt
//   command.txt      the words of the command line as they were, one per line
//   folder.txt       where it ran, if that is part of an output
//   files.txt        what was asked of the file system, the answer, and the name
//   inputs/1/a.o     contents
//
// Replaying needs command.txt, folder.txt and files.txt; the others are for people.
#include "driver/repro/stored_link.h"

#include <optional>

#include <fmt/format.h>

#include "driver/repro/word_lines.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::string_view kTopFolder = "culink-repro";

std::string as_lines(const std::vector<std::string> &texts) {
  std::string out;
  for (const std::string &text : texts)
    out += to_line({text});
  return out;
}

// One text per line.
std::optional<std::vector<std::string>> texts_of(ByteSpan bytes) {
  const std::optional<std::vector<std::vector<std::string>>> lines = from_lines(as_text(bytes));
  if (!lines)
    return std::nullopt;
  std::vector<std::string> out;
  for (const std::vector<std::string> &fields : *lines)
    out.push_back(fields.front());
  return out;
}

std::string path_of(std::string_view name) {
  return fmt::format("{}/{}", kTopFolder, name);
}

} // namespace

TarWriter store_link(const LinkRecord &record, const RecordedFiles &files) {
  TarWriter tar;
  tar.add_text(path_of("version.txt"), as_lines(record.versions));
  tar.add_text(path_of("response.txt"), record.response);
  tar.add_text(path_of("command.txt"), as_lines(record.words));
  if (!record.folder.empty())
    tar.add_text(path_of("folder.txt"), as_lines({record.folder}));
  files.add_to(tar, std::string(kTopFolder));
  return tar;
}

Result<StoredLink> read_stored_link(ByteSpan archive) {
  const Result<std::vector<TarMember>> members = read_tar(archive);
  if (!members)
    return members.error();
  LinkRecord record;
  bool has_command = false;
  for (const TarMember &member : *members) {
    const bool is_command = member.name == path_of("command.txt");
    const bool is_folder = member.name == path_of("folder.txt");
    if (!is_command && !is_folder && member.name != path_of("version.txt"))
      continue;
    const std::optional<std::vector<std::string>> texts = texts_of(member.bytes);
    if (!texts)
      return Error{member.name, "", "a backslash begins no \\xNN"};
    has_command |= is_command;
    if (is_command)
      record.words = *texts;
    else if (is_folder)
      record.folder = texts->empty() ? "" : texts->front();
    else
      record.versions = *texts;
  }
  if (!has_command)
    return Error{"", "", fmt::format("is no stored link: it has no {}", path_of("command.txt"))};
  Result<StoredFiles> files = StoredFiles::read(*members, std::string(kTopFolder));
  if (!files)
    return files.error();
  return StoredLink{std::move(record), std::move(*files)};
}

} // namespace culink
