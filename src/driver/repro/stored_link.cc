// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a stored link: a tar file with one folder, in which
//
//   version.txt      culink and the compilers that it would use
//   response.txt     the command line for the unpacked folder: culink @response.txt
//   command.txt      the words of the command line as they were, one per line
//   folder.txt       where it ran, if that is part of an output
//   files.txt        requests to the file system, with answers and names
//   inputs/1/a.o     contents
//
// Replaying needs command.txt, folder.txt and files.txt; the others are for people.
#include "driver/repro/stored_link.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink {

// Names of files may contain any byte except NUL. The lists in a stored link are text that people
// read and change, so only bytes that would break a line or a field are escaped.

namespace {

constexpr char kSeparator = '\t';

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f || c == '\\')
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  constexpr size_t kLength = 4; // \xNN
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i).substr(0, kLength);
    unsigned byte = 0;
    if (!digits.starts_with("\\x") || digits.size() != kLength)
      return std::nullopt;
    const char *end = digits.data() + kLength;
    if (std::from_chars(digits.data() + 2, end, byte, 16).ptr != end)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += kLength - 1;
  }
  return out;
}

// Removes and returns the text up to a character, and removes the character.
std::string_view take_until(std::string_view &text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

} // namespace

std::string to_line(const std::vector<std::string> &fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i)
    out += (i == 0 ? "" : std::string(1, kSeparator)) + escaped(fields[i]);
  return out + "\n";
}

std::optional<std::vector<std::vector<std::string>>> from_lines(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    std::vector<std::string> &fields = lines.emplace_back();
    do {
      const std::optional<std::string> field = unescaped(take_until(line, kSeparator));
      if (!field)
        return std::nullopt;
      fields.push_back(*field);
    } while (!line.empty());
  }
  return lines;
}

// A record of the answers of the file system to a link: contents, errors and existing names. A link
// with the same answers gives the same result on any machine, even if it fails because a file is
// missing. Names are only looked up and never resolved, so they may be arbitrary text.
//
// Contents are kept by file identity: a file with several names is stored once. A pipe, which can
// be read only once, is kept with its bytes.

namespace {

constexpr std::string_view kList = "files.txt";
constexpr std::string_view kError = "error: ";
constexpr std::string_view kPositive = "yes", kNegative = "no";
// The words for FileType, then the words for FileQuestion.
constexpr std::array<std::string_view, 5> kWords = {"read", "read-regular", "exists", "readable",
                                                    "file"};
constexpr size_t kOpenings = 2; // number of words for FileType

Error error_of(const FileAnswer &answer) {
  return {"", "", answer.text.substr(kError.size())};
}

// The last component of a path with only characters that any file system accepts.
std::string plain_name(const std::string &path) {
  constexpr size_t kMost = 64;
  std::string name = base_name(path);
  for (char &c : name)
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f || c == '\\')
      c = '_';
  if (name.size() > kMost)
    name.erase(0, name.size() - kMost); // keeps the end, which shows the kind of file
  return name.empty() || name == "." || name == ".." ? "file" : name;
}

// The members of an archive below a folder, by name.
std::map<std::string_view, const TarMember *> members_below(const std::vector<TarMember> &members,
                                                            std::string_view folder) {
  std::map<std::string_view, const TarMember *> out;
  for (const TarMember &member : members)
    if (const std::string_view name = member.name;
        name.starts_with(folder) && name.substr(folder.size()).starts_with('/'))
      out.emplace(name.substr(folder.size() + 1), &member);
  return out;
}

} // namespace

Result<MappedFile> RecordedFiles::open(const std::string &path, FileType type) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = answers_.try_emplace({false, path, static_cast<size_t>(type)});
  FileAnswer &answer = place->second;
  if (is_new) {
    Result<MappedFile> file = system_files().open(path, type);
    if (!file) {
      answer.text = std::string(kError) + file.error().text();
    } else {
      const auto [known, is_first] = known_.try_emplace(file->identity(), contents_.size());
      answer.content = known->second;
      if (is_first)
        contents_.push_back({std::move(*file),
                             fmt::format("inputs/{}/{}", contents_.size() + 1, plain_name(path))});
    }
  }
  if (!answer.content)
    return error_of(answer);
  const MappedFile &file = contents_[*answer.content].file;
  return MappedFile::borrow(file.bytes(), file.identity());
}

bool RecordedFiles::ask(FileQuestion question, const std::string &path) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = answers_.try_emplace({true, path, static_cast<size_t>(question)});
  if (is_new)
    place->second.text = system_files().ask(question, path) ? kPositive : kNegative;
  return place->second.text == kPositive;
}

std::optional<std::string> RecordedFiles::stored_name(const std::string &path) const {
  const std::lock_guard lock(mutex_);
  const auto found = answers_.find({false, path, static_cast<size_t>(FileType::Readable)});
  if (found == answers_.end() || !found->second.content)
    return std::nullopt;
  return contents_[*found->second.content].name;
}

void RecordedFiles::add_to(TarWriter &tar, const std::string &folder) const {
  const std::lock_guard lock(mutex_);
  std::string list;
  for (const auto &[asked, answer] : answers_)
    list += to_line({std::string(kWords[asked.kind + (asked.is_question ? kOpenings : 0)]),
                     answer.content ? contents_[*answer.content].name : answer.text, asked.path});
  tar.add_text(fmt::format("{}/{}", folder, kList), std::move(list));
  for (const Content &content : contents_)
    tar.add(fmt::format("{}/{}", folder, content.name), content.file.bytes());
}

Result<StoredFiles> StoredFiles::read(const std::vector<TarMember> &members,
                                      const std::string &folder) {
  const std::map<std::string_view, const TarMember *> below = members_below(members, folder);
  const auto list = below.find(kList);
  if (list == below.end())
    return Error{"", "", fmt::format("has no {}/{}", folder, kList)};
  const std::optional<std::vector<std::vector<std::string>>> lines =
      from_lines(as_text(list->second->bytes));
  if (!lines)
    return Error{std::string(kList), "", "a backslash begins no \\xNN"};
  StoredFiles out;
  for (const std::vector<std::string> &line : *lines) {
    const Error wrong{std::string(kList), line.front(), "the line is not understood"};
    if (line.size() != 3)
      return wrong;
    const auto word = std::ranges::find(kWords, line[0]);
    if (word == kWords.end())
      return wrong;
    const size_t number = static_cast<size_t>(word - kWords.begin());
    const bool is_question = number >= kOpenings;
    FileAnswer &answer =
        out.answers_[{is_question, line[2], number - (is_question ? kOpenings : 0)}];
    answer.text = line[1];
    if (is_question || answer.text.starts_with(kError))
      continue;
    const auto member = below.find(answer.text);
    if (member == below.end())
      return Error{std::string(kList), line[2],
                   fmt::format("there is no {}/{}", folder, answer.text)};
    answer.content = static_cast<size_t>(member->second - members.data());
  }
  for (const TarMember &member : members)
    out.contents_.push_back(member.bytes);
  return out;
}

Result<MappedFile> StoredFiles::open(const std::string &path, FileType type) const {
  const auto found = answers_.find({false, path, static_cast<size_t>(type)});
  if (found == answers_.end())
    return Error{"", "", "is not among the stored files"};
  const std::optional<size_t> content = found->second.content;
  if (!content)
    return error_of(found->second);
  return MappedFile::borrow(contents_[*content], {0, *content + 1});
}

bool StoredFiles::ask(FileQuestion question, const std::string &path) const {
  const auto found = answers_.find({true, path, static_cast<size_t>(question)});
  return found != answers_.end() && found->second.text == kPositive;
}

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
