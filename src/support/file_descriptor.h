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

// Returns the error of a system call that just failed, from errno.
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
  // Returns false, with errno, if written data may be lost.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

private:
  int fd_;
};

// Complete reads and writes: a system call may process fewer bytes, or be interrupted. If the
// result is false, errno has the reason.

// Writes at the current file offset.
[[nodiscard]] bool write_all(int fd, ByteSpan bytes);
// Reads the first out.size() bytes of a file. Also returns false if the file is shorter.
[[nodiscard]] bool read_all(int fd, std::vector<u8> &out);

// Returns the descriptor. If it has the number of a standard stream, returns a duplicate with a
// higher number that children do not inherit, and closes `fd`: a program may have closed its
// standard streams, but its children use them. Returns -1 for -1 and on failure.
[[nodiscard]] int above_standard(int fd);

} // namespace culink
