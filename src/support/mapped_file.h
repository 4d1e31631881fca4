// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// Kinds of files that may be opened by a name.
enum class FileType {
  Readable, // regular files; pipes, which end before a gigabyte; and /dev/null
  Regular,  // for names from other files: opening anything else may wait, or have an effect
};

// The last component of a path.
[[nodiscard]] inline std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The error of opening a folder.
inline constexpr const char *kIsFolder = "is a directory";

// The bytes of a regular file, mapped read-only, or of a pipe, read whole. Only touched pages of a
// mapping are ever read, so opening an 800 MB archive costs nothing. It can be moved, not copied.
class MappedFile {
public:
  [[nodiscard]] static Result<MappedFile> open(const std::string &path,
                                               FileType type = FileType::Readable);

  // Bytes that somebody else owns, as if they were a file.
  [[nodiscard]] static MappedFile borrow(ByteSpan bytes, std::pair<u64, u64> identity);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  // Device and number of the file, the same for every name it has.
  [[nodiscard]] std::pair<u64, u64> identity() const { return identity_; }
  // Releases the memory that reading has taken; the system reads the file again when it is used
  // again.
  void drop_pages() const { drop_pages(0, bytes_.size()); }
  // Releases the pages that contain bytes [begin, end).
  void drop_pages(u64 begin, u64 end) const;

private:
  MappedFile() = default;
  void release();

  ByteSpan bytes_;
  std::vector<u8> owned_; // the bytes, when they could not be mapped
  std::pair<u64, u64> identity_;
  bool mapped_ = false;
};

// For programs: from now on, a mapped file that becomes shorter while it is read ends the process
// with status 1 and an error that names the file, instead of with a signal.
void end_when_files_shrink();

// A question about a name before its file is opened.
enum class FileQuestion {
  Exists,     // there is a file or folder
  IsReadable, // there is one, and it may be read
  IsFile,     // there is something else than a folder
};

// The origin of the files that a command line, or another file, names: the file system, or what an
// earlier link has stored. Several threads may ask at once.
class FileSource {
public:
  virtual ~FileSource() = default;

  // The file, or why there is none.
  [[nodiscard]] virtual Result<MappedFile> open(const std::string &path, FileType type) const = 0;
  [[nodiscard]] virtual bool ask(FileQuestion question, const std::string &path) const = 0;
};

// The file system.
[[nodiscard]] const FileSource &system_files();

} // namespace culink
