// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complete reads and writes of open files, for outputs, caches and workers.
#include "support/file_descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace culink {

bool write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

bool read_all(int fd, std::vector<u8> &out) {
  for (u64 done = 0; done < out.size();) {
    const ssize_t n = ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += static_cast<u64>(n);
  }
  return true;
}

int above_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO)
    return fd;
  const int out = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(fd);
  errno = error;
  return out;
}

} // namespace culink
