// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/mapped_file.h"
#include "base/result.h"

namespace culink {

// What may be asked about a name before its file is opened.
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
