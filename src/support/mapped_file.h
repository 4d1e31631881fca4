// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The kinds of files that an input may be.
enum class FileType {
  Readable, // regular files; pipes, which end before a gigabyte; and /dev/null
  Regular,  // for names from other files: opening other kinds may block or have side effects
};

// Returns the last component of a path.
[[nodiscard]] inline std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The error for opening a folder.
inline constexpr const char *kIsFolder = "is a directory";

// The bytes of a regular file, mapped read-only, or of a pipe, read completely. Only the touched
// pages of a mapping are read, so opening an 800 MB archive is cheap. It can be moved, not copied.
class MappedFile {
public:
  [[nodiscard]] static Result<MappedFile> open(const std::string &path,
                                               FileType type = FileType::Readable);

  // Returns a file with bytes that another object owns.
  [[nodiscard]] static MappedFile borrow(ByteSpan bytes, std::pair<u64, u64> identity);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  // Returns device and inode number, which are equal for all names of the file.
  [[nodiscard]] std::pair<u64, u64> identity() const { return identity_; }
  // Releases the pages that were read; the system reads them again on the next use.
  void drop_pages() const { drop_pages(0, bytes_.size()); }
  // Releases the pages that contain bytes [begin, end).
  void drop_pages(u64 begin, u64 end) const;

private:
  MappedFile() = default;
  void release();

  ByteSpan bytes_;
  std::vector<u8> owned_; // the bytes if they could not be mapped
  std::pair<u64, u64> identity_;
  bool mapped_ = false;
};

// For programs: if a mapped file is truncated during reading, the process then ends with status 1
// and an error that names the file, instead of by a signal.
void end_when_files_shrink();

// A question about a path before the file is opened.
enum class FileQuestion {
  Exists,     // there is a file or folder
  IsReadable, // there is one, and it may be read
  IsFile,     // the path exists and is not a folder
};

// The source of the files that a command line, or another file, names: the file system, or the
// stored inputs of an earlier link. Safe for concurrent use.
class FileSource {
public:
  virtual ~FileSource() = default;

  // Returns the file, or the reason why it cannot be opened.
  [[nodiscard]] virtual Result<MappedFile> open(const std::string &path, FileType type) const = 0;
  [[nodiscard]] virtual bool ask(FileQuestion question, const std::string &path) const = 0;
};

// The file system.
[[nodiscard]] const FileSource &system_files();

} // namespace culink
