// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <vector>

#include "base/file_source.h"

namespace culink {

// The file system, for a program that ends soon after it has read its files: the end of the process
// gives back all at once, in less time than one after the other would take. Where another thread
// has nothing else to do, it can do so earlier.
class KeptFiles : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &path, FileType type) const override {
    Result<MappedFile> file = system_files().open(path, type);
    if (file)
      keep(file->keep());
    return file;
  }
  [[nodiscard]] bool ask(FileQuestion question, const std::string &path) const override {
    return system_files().ask(question, path);
  }

  // Of all files.
  [[nodiscard]] u64 size() const { return size_; }
  // Nobody may look at any of them from then on.
  void unmap() {
    for (const ByteSpan mapping : mappings_)
      MappedFile::unmap(mapping);
    mappings_.clear();
  }

private:
  void keep(ByteSpan mapping) const {
    if (mapping.empty())
      return;
    const std::lock_guard lock(mutex_);
    mappings_.push_back(mapping);
    size_ += mapping.size();
  }

  mutable std::mutex mutex_; // of the others
  mutable std::vector<ByteSpan> mappings_;
  mutable u64 size_ = 0;
};

} // namespace culink
