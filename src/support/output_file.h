// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The identity of a file, which is equal for all its names: hard links, symbolic links, and
// different paths to its folder.
struct FileIdentity {
  u64 device = 0, number = 0; // of the file, or of its folder if the file does not exist
  std::string name;           // the name in that folder; empty if the file exists

  bool operator==(const FileIdentity &) const = default;
};
// Identifies a regular file, existing or not. Returns nullopt for files that several outputs may
// share: "-", devices, pipes.
[[nodiscard]] std::optional<FileIdentity> identify_file(const std::string &path);

class OutputFile;

struct CommitFailure {
  size_t file = 0; // index of the file that failed
  Error error;
};
// Gives all files their names, in this order, or none of them: if one fails, the others are
// restored (if the file system can exchange two names).
[[nodiscard]] std::optional<CommitFailure> commit_all(std::span<OutputFile *const> files);

// A file that is written atomically. Its bytes go to a file without a name, which commit() gives
// it: readers see the old file or the complete new one, and a failure leaves an existing file
// untouched.
class OutputFile {
public:
  // "-" is standard output.
  explicit OutputFile(std::string path);
  // Removes the file if it was not committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  // False for standard output, and for a path that exists and is not a regular file (/dev/null, a
  // pipe). These are written directly, so write() cannot be undone.
  [[nodiscard]] bool is_temporary() const { return is_temporary_; }
  // Writes all bytes, once.
  void write(ByteSpan bytes) { write(std::span(&bytes, 1)); }
  // Writes the concatenation of several pieces.
  void write(std::span<const ByteSpan> pieces);
  // Alternative to write(): maps the file with that many zero bytes, for the lifetime of this
  // object; the caller calls finish() when the bytes are complete. Returns an empty span if the
  // file system cannot reserve the space.
  [[nodiscard]] MutableByteSpan map(u64 size);
  [[nodiscard]] bool is_mapped() const { return !mapped_.empty(); }
  void finish();
  // The first error so far.
  [[nodiscard]] const std::optional<Error> &error() const { return error_; }
  [[nodiscard]] std::optional<Error> commit();

private:
  friend std::optional<CommitFailure> commit_all(std::span<OutputFile *const> files);

  [[nodiscard]] bool publish();
  void settle();
  void take_back();
  void write_directly(std::span<const ByteSpan> pieces);
  void write_temporary(std::span<const ByteSpan> pieces);
  void create();

  std::string path_;        // path of the file itself, with symbolic links resolved
  std::string temporary_;   // of the new file before publishing, then of the old file
  std::optional<u32> mode_; // mode of the replaced file
  int fd_ = -1;             // descriptor of the written file
  MutableByteSpan mapped_;
  std::optional<Error> error_;
  bool is_temporary_ = true;
  bool published_ = false;
};

// Removes temporary files of killed processes for that path. Writing to the path does the same.
void remove_leftovers(const std::string &path);

// Writes a complete file.
[[nodiscard]] std::optional<Error> write_file(const std::string &path, ByteSpan bytes);

} // namespace culink
