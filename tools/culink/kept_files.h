// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "base/file_source.h"

namespace culink {

// The file system, for a program that ends soon after it has read its files: they stay mapped until
// all are given back at once.
class KeptFiles : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override {
    Result<MappedFile> file = system_files().open(path, type);
    if (!file)
      return file;
    if (const ByteSpan mapping = file->hand_over(); !mapping.empty()) {
      const std::lock_guard lock(mutex_);
      mappings_.push_back(mapping);
    }
    return file;
  }
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override {
    return system_files().ask(question, path);
  }
  void release() const override {
    const std::lock_guard lock(mutex_);
    unmap_files(std::exchange(mappings_, {}));
  }

private:
  mutable std::mutex mutex_;
  mutable std::vector<ByteSpan> mappings_;
};

} // namespace culink
