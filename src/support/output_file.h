// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// Which file a name stands for, the same for every name it has: links of both kinds, other ways to
// its folder.
struct FileIdentity {
  u64 device = 0, number = 0; // of the file, or of its folder as long as it is not there
  std::string name;           // in that folder; empty: it is there

  bool operator==(const FileIdentity &) const = default;
};
// Identifies a regular file, existing or still to be made. Nothing for what several outputs may
// share: "-", devices, pipes.
[[nodiscard]] std::optional<FileIdentity> identify_file(const std::string &path);

class OutputFile;

struct CommitFailure {
  size_t file = 0; // which one
  Error error;
};
// Gives all files their names, in this order, or none of them: if one fails, the others are as they
// were before (where the file system can exchange two names).
[[nodiscard]] std::optional<CommitFailure> commit_all(std::span<OutputFile *const> files);

// A file that appears whole or not at all. Its bytes go to a file without a name, which commit()
// gives it: readers see the old file or the whole new one, and a failure leaves an existing file
// untouched.
class OutputFile {
public:
  // "-" is standard output.
  explicit OutputFile(std::string path);
  // Removes what was not committed.
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  // Whether there is such a file. Standard output, and a path that exists and is no regular
  // file (/dev/null, a pipe), are written directly, so nobody can take back what write() did.
  [[nodiscard]] bool is_temporary() const { return is_temporary_; }
  // Writes all bytes, once.
  void write(ByteSpan bytes) { write(std::span(&bytes, 1)); }
  // Writes bytes that lie in several places.
  void write(std::span<const ByteSpan> pieces);
  // Instead of write(): maps the file with that many zero bytes, for as long as this lives; the
  // caller calls finish() when they are complete. Empty: the file system cannot reserve the space.
  [[nodiscard]] MutableByteSpan map(u64 size);
  [[nodiscard]] bool is_mapped() const { return !mapped_.empty(); }
  void finish();
  // What went wrong so far.
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

  std::string path_;      // of the file itself, not of a symbolic link to it
  std::string temporary_; // a further name: before it is published, its own; then, of the old file
  std::optional<u32> mode_; // of the file that is replaced
  int fd_ = -1;             // of what has been written
  MutableByteSpan mapped_;
  std::optional<Error> error_;
  bool is_temporary_ = true;
  bool published_ = false;
};

// Removes what killed processes have left when they wrote to that file. Writing to it does so, too.
void remove_leftovers(const std::string &path);

// All of it at once.
[[nodiscard]] std::optional<Error> write_file(const std::string &path, ByteSpan bytes);

} // namespace culink
