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

// What is asked of the file system: to open a file, or one of the other questions.
struct AskedFile {
  bool is_question = false;
  std::string path;
  size_t kind = 0; // a FileType or FileQuestion

  auto operator<=>(const AskedFile &) const = default;
};

struct FileAnswer {
  std::optional<size_t> content; // number of the bytes, if the file was opened
  std::string text;              // else: "yes", "no" or "error: ..."
};

// The files of the system, and a record of all that was asked and answered. An answer is given
// again if it is asked for again, even if the file has changed.
class RecordedFiles : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override;
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override;

  // The name that a file has in an archive of the record: inputs/3/a.o. Nothing: it was not opened.
  [[nodiscard]] std::optional<std::string> stored_name(const std::string &path) const;
  // Adds the list of the answers and the contents of the files. The record has to outlive the
  // archive.
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

// The answers of such a record, from the members of its archive and nothing else.
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

// Texts of any bytes as lines of a text file, each of several fields with tabs between them.
// Control characters and backslashes are written as \xNN.
[[nodiscard]] std::string to_line(const std::vector<std::string> &fields);

// The lines of a text, taken apart. Nothing: there is a backslash that begins no \xNN.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>>
from_lines(std::string_view text);

// A link as --repro stores it, beside its files.
struct LinkRecord {
  std::vector<std::string> words;    // of the command line, as they were given
  std::string folder;                // in which it ran; empty: that does not matter
  std::vector<std::string> versions; // of culink and the compilers, one per line
  std::string response;              // a response file for those who unpack the archive by hand
};

// The archive of a link. The files have to outlive it.
[[nodiscard]] TarWriter store_link(const LinkRecord &record, const RecordedFiles &files);

struct StoredLink {
  LinkRecord record; // without the response file
  StoredFiles files; // refer to the bytes of the archive
};

[[nodiscard]] Result<StoredLink> read_stored_link(ByteSpan archive);

} // namespace culink
