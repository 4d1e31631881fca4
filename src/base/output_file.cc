// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files are written under a temporary name and then renamed. The temporary's mode is what
// open(path, 0666) would have given, or the mode of the file being replaced, as compilers and
// linkers do.
#include "base/output_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_error.h"

namespace culink {

namespace {

bool write_all(int fd, ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

std::optional<Error> write_directly(const std::string &path, ByteSpan bytes) {
  const int fd = path == "-" ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return system_error("cannot open for writing");
  const bool written = write_all(fd, bytes);
  const int saved = errno;
  if (::close(fd) == 0 && written)
    return std::nullopt;
  if (!written)
    errno = saved;
  return system_error("cannot write");
}

// umask can only be read by setting it, which would race with other threads of a host process;
// a file created with O_CREAT shows the same mode.
int create_beside(std::string &temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = temporary + std::to_string(::getpid()) + "." + std::to_string(attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      temporary = name;
      return fd;
    }
    if (errno != EEXIST)
      return -1;
  }
  return -1;
}

} // namespace

std::optional<Error> write_file(const std::string &path, ByteSpan bytes) {
  struct stat info {};
  const bool exists = path != "-" && ::stat(path.c_str(), &info) == 0;
  if (path == "-" || (exists && !S_ISREG(info.st_mode)))
    return write_directly(path, bytes);

  // A symbolic link is kept: the file it names is replaced.
  std::string target = path;
  if (char *real = exists ? ::realpath(path.c_str(), nullptr) : nullptr) {
    target = real;
    std::free(real);
  }
  std::string temporary = target + ".tmp.";
  const int fd = create_beside(temporary);
  if (fd < 0)
    return system_error("cannot create");
  bool ok = write_all(fd, bytes);
  if (ok && exists)
    ok = ::fchmod(fd, info.st_mode & 07777) == 0;
  int saved = errno;
  if (::close(fd) != 0 && ok) {
    saved = errno;
    ok = false;
  }
  if (ok && ::rename(temporary.c_str(), target.c_str()) == 0)
    return std::nullopt;
  if (ok)
    saved = errno;
  ::unlink(temporary.c_str());
  errno = saved;
  return system_error("cannot write");
}

} // namespace culink
