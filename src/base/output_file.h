// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace culink {

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
  // Writes all bytes, once. What goes wrong is said by commit().
  void write(ByteSpan bytes) { write(std::span(&bytes, 1)); }
  // The same for bytes that lie in several places.
  void write(std::span<const ByteSpan> pieces);
  [[nodiscard]] std::optional<Error> commit();

private:
  void write_directly(std::span<const ByteSpan> pieces);
  void write_temporary(std::span<const ByteSpan> pieces);

  std::string path_;        // of the file itself, not of a symbolic link to it
  std::string temporary_;   // the name until it is committed; empty: none, or not any more
  std::optional<u32> mode_; // of the file that is replaced
  int fd_ = -1;             // of what has been written
  std::optional<Error> error_;
  bool is_temporary_ = true;
};

// All of it at once.
[[nodiscard]] std::optional<Error> write_file(const std::string &path, ByteSpan bytes);

} // namespace culink
