// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record of what a link was told by the file system: contents, errors, and which names there are.
// A link that gets the same answers does the same, whatever the machine, even if it fails because a
// file is missing. Names are only looked up and never resolved, so they may be anything.
//
// Contents are kept by their identity: a file with several names is stored once, and a pipe, which
// can be read only once, is kept with its bytes.
#include "driver/repro/recorded_files.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "driver/repro/word_lines.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::string_view kList = "files.txt";
constexpr std::string_view kError = "error: ";
constexpr std::string_view kPositive = "yes", kNegative = "no";
constexpr std::array<std::string_view, 2> kOpenings = {"read", "read-regular"};
constexpr std::array<std::string_view, 3> kQuestions = {"exists", "readable", "file"};

std::string name_of(FileType type) {
  return std::string(kOpenings[static_cast<size_t>(type)]);
}

std::string name_of(FileQuestion question) {
  return std::string(kQuestions[static_cast<size_t>(question)]);
}

// The number of a name in one of the tables above.
template <size_t N>
std::optional<size_t> number_in(const std::array<std::string_view, N> &names,
                                std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<size_t>(found - names.begin()));
}

// The last component of a path as any file system takes it.
std::string plain_name(const std::string &path) {
  constexpr size_t kMost = 64;
  std::string name = path.substr(path.rfind('/') + 1);
  for (char &c : name)
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f || c == '\\')
      c = '_';
  if (name.size() > kMost)
    name.erase(0, name.size() - kMost); // the end says what kind of file it is
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
  const auto [place, is_new] = opened_.try_emplace({path, type});
  Answer &answer = place->second;
  if (is_new) {
    Result<MappedFile> file = system_files().open(path, type);
    if (!file) {
      answer.error = file.error();
    } else {
      const auto [known, is_first] = known_.try_emplace(file->identity(), contents_.size());
      answer.content = known->second;
      if (is_first)
        contents_.push_back({std::move(*file),
                             fmt::format("inputs/{}/{}", contents_.size() + 1, plain_name(path))});
    }
  }
  if (!answer.content)
    return answer.error;
  const MappedFile &file = contents_[*answer.content].file;
  return MappedFile::borrow(file.bytes(), file.identity());
}

bool RecordedFiles::ask(FileQuestion question, const std::string &path) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = asked_.try_emplace({path, question});
  if (is_new)
    place->second = system_files().ask(question, path);
  return place->second;
}

std::optional<std::string> RecordedFiles::stored_name(const std::string &path) const {
  const std::lock_guard lock(mutex_);
  const auto found = opened_.find({path, FileType::Readable});
  if (found == opened_.end() || !found->second.content)
    return std::nullopt;
  return contents_[*found->second.content].name;
}

void RecordedFiles::add_to(TarWriter &tar, const std::string &folder) const {
  const std::lock_guard lock(mutex_);
  std::string list;
  for (const auto &[key, answer] : opened_)
    list += to_line({name_of(key.second),
                     answer.content ? contents_[*answer.content].name
                                    : std::string(kError) + answer.error.text(),
                     key.first});
  for (const auto &[key, yes] : asked_)
    list += to_line({name_of(key.second), std::string(yes ? kPositive : kNegative), key.first});
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
    const std::string &answer = line[1], &path = line[2];
    if (const std::optional<size_t> question = number_in(kQuestions, line[0])) {
      out.asked_[{path, static_cast<FileQuestion>(*question)}] = answer == kPositive;
      continue;
    }
    const std::optional<size_t> type = number_in(kOpenings, line[0]);
    if (!type)
      return wrong;
    Answer &opened = out.opened_[{path, static_cast<FileType>(*type)}];
    if (answer.starts_with(kError)) {
      opened.error = answer.substr(kError.size());
      continue;
    }
    const auto member = below.find(answer);
    if (member == below.end())
      return Error{std::string(kList), path, fmt::format("there is no {}/{}", folder, answer)};
    opened.bytes = member->second->bytes;
    opened.number = static_cast<u64>(member->second - members.data()) + 1;
  }
  return out;
}

Result<MappedFile> StoredFiles::open(const std::string &path, FileType type) const {
  const auto found = opened_.find({path, type});
  if (found == opened_.end())
    return Error{"", "", "is not among the stored files"};
  const Answer &answer = found->second;
  if (answer.number == 0)
    return Error{"", "", answer.error};
  return MappedFile::borrow(answer.bytes, {0, answer.number});
}

bool StoredFiles::ask(FileQuestion question, const std::string &path) const {
  const auto found = asked_.find({path, question});
  return found != asked_.end() && found->second;
}

} // namespace culink
