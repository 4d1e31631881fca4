// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/repro/tar.h"
#include "support/mapped_file.h"

namespace culink {

// A request to the file system: to open a file, or another question.
struct AskedFile {
  bool is_question = false;
  std::string path;
  size_t kind = 0; // a FileType or FileQuestion

  auto operator<=>(const AskedFile &) const = default;
};

struct FileAnswer {
  std::optional<size_t> content; // index of the contents, if the file was opened
  std::string text;              // otherwise: "yes", "no" or "error: ..."
};

// The files of the system, with a record of all requests and answers. A repeated request gets the
// same answer, even if the file has changed.
class RecordedFiles : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override;
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override;

  // Returns the name of a file in an archive of the record: inputs/3/a.o. Nothing if it was not
  // opened.
  [[nodiscard]] std::optional<std::string> stored_name(const std::string &path) const;
  // Adds the list of answers and the contents of the files. The record must outlive the archive.
  void add_to(TarWriter &tar, const std::string &folder) const;

private:
  struct Content {
    MappedFile file;
    std::string name;
  };

  mutable std::mutex mutex_; // guards all the rest
  mutable std::deque<Content> contents_;
  mutable std::map<std::pair<u64, u64>, size_t> known_; // contents by identity
  mutable std::map<AskedFile, FileAnswer> answers_;
};

// The recorded answers, read only from the members of an archive.
class StoredFiles : public FileSource {
public:
  // The members below `folder`, which the caller keeps.
  [[nodiscard]] static Result<StoredFiles> read(const std::vector<TarMember> &members,
                                                const std::string &folder);

  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override;
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override;

private:
  std::vector<ByteSpan> contents_; // of all members of the archive
  std::map<AskedFile, FileAnswer> answers_;
};

// Joins texts of arbitrary bytes into a line of a text file, with tabs between the fields. Control
// characters and backslashes become \xNN.
[[nodiscard]] std::string to_line(const std::vector<std::string> &fields);

// Splits a text into lines and fields. Nothing if a backslash does not begin \xNN.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>>
from_lines(std::string_view text);

// A link as --repro stores it, beside its files.
struct LinkRecord {
  std::vector<std::string> words;    // of the command line, as they were given
  std::string folder;                // working folder; empty if it does not affect the output
  std::vector<std::string> versions; // of culink and the compilers, one per line
  std::string response;              // a response file for an archive unpacked by hand
};

// Returns the archive of a link. The files must outlive it.
[[nodiscard]] TarWriter store_link(const LinkRecord &record, const RecordedFiles &files);

struct StoredLink {
  LinkRecord record; // without the response file
  StoredFiles files; // refer to the bytes of the archive
};

[[nodiscard]] Result<StoredLink> read_stored_link(ByteSpan archive);

} // namespace culink
