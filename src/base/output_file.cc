// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files are written under a temporary name and then renamed. The temporary's mode is what
// open(path, 0666) would have given, or the mode of the file being replaced, as compilers and
// linkers do.
//
// A file that is there already changes places with the temporary and is removed under that name.
// ext4 writes a file to the disk before it is renamed over another one, in case the power fails:
// 150 ms for 117 MB. Two files that change places may wait, like what other linkers write.
#include "base/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file_descriptor.h"
#include "base/system_error.h"

namespace culink {

namespace {

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

// Whether both were regular files, on a file system that can do that.
bool change_places(const std::string &one, const std::string &other) {
  struct stat info {};
  return ::lstat(other.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

} // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat info {};
  const bool exists = path_ != "-" && ::stat(path_.c_str(), &info) == 0;
  is_temporary_ = path_ != "-" && (!exists || S_ISREG(info.st_mode));
  if (!exists || !is_temporary_)
    return;
  mode_ = info.st_mode & 07777;
  // A symbolic link is kept: the file it names is replaced.
  if (char *real = ::realpath(path_.c_str(), nullptr)) {
    path_ = real;
    std::free(real);
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

void OutputFile::write(ByteSpan bytes) {
  if (is_temporary_)
    write_temporary(bytes);
  else
    write_directly(bytes);
}

void OutputFile::write_directly(ByteSpan bytes) {
  const int fd = path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    error_ = system_error("cannot open for writing");
    return;
  }
  if (!write_all(fd, bytes))
    error_ = system_error("cannot write");
  if (::close(fd) != 0 && !error_)
    error_ = system_error("cannot write");
}

void OutputFile::write_temporary(ByteSpan bytes) {
  std::string name = path_ + ".tmp.";
  const int fd = create_beside(name);
  if (fd < 0) {
    error_ = system_error("cannot create");
    return;
  }
  temporary_ = std::move(name);
  if (!write_all(fd, bytes) || (mode_ && ::fchmod(fd, *mode_) != 0))
    error_ = system_error("cannot write");
  if (::close(fd) != 0 && !error_)
    error_ = system_error("cannot write");
}

std::optional<Error> OutputFile::commit() {
  if (error_ || !is_temporary_)
    return error_;
  if (change_places(temporary_, path_))
    ::unlink(temporary_.c_str()); // what was there before
  else if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return system_error("cannot write");
  temporary_.clear();
  return std::nullopt;
}

std::optional<Error> write_file(const std::string &path, ByteSpan bytes) {
  OutputFile file(path);
  file.write(bytes);
  return file.commit();
}

} // namespace culink
