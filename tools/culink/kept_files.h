// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/file_source.h"

namespace culink {

// The file system, for a program that ends soon after it has read its files: they stay mapped, and
// are given back all at once (end_process.h).
class KeptFiles : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override {
    Result<MappedFile> file = system_files().open(path, type);
    if (file)
      file->keep_mapped();
    return file;
  }
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override {
    return system_files().ask(question, path);
  }
};

} // namespace culink
