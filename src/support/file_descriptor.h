// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The error of a system call that just failed, from errno.
[[nodiscard]] inline Error system_error(const char *what) {
  return Error{"", "", std::string(what) + ": " + std::strerror(errno)};
}

// A descriptor that is closed with its owner. It can be moved, not copied.
class FileDescriptor {
public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  // False, with errno: what was written may be lost.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

private:
  int fd_;
};

// Whole reads and writes: a call of the system may take fewer bytes, or be interrupted. Where the
// result is false, errno has the reason.

// Writes where the descriptor stands.
[[nodiscard]] bool write_all(int fd, ByteSpan bytes);
// Reads the first out.size() bytes of a file. False also if it has fewer.
[[nodiscard]] bool read_all(int fd, std::vector<u8> &out);

// The descriptor, or a duplicate that children do not inherit, with `fd` closed, if it has one of
// the numbers of standard input and outputs: a program may have closed these, but its children use
// them. -1 stays -1, and stands for a failure, too.
[[nodiscard]] int above_standard(int fd);

} // namespace culink
