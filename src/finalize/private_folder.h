// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/result.h"

namespace culink {

// A folder for files of one program, removed with them. One that was left by a process that was
// killed is removed by whoever creates the next.
class PrivateFolder {
public:
  [[nodiscard]] static Result<PrivateFolder> create(const std::string &where);

  PrivateFolder(PrivateFolder &&other) noexcept;
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;
  PrivateFolder &operator=(PrivateFolder &&) = delete;
  ~PrivateFolder();

  [[nodiscard]] const std::string &path() const { return path_; }

private:
  PrivateFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_; // empty: moved away
  int fd_ = -1;      // of the folder, locked as long as it is used
};

} // namespace culink
