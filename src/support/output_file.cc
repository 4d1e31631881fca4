// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files have no name while they are written (O_TMPFILE), so that no file remains if this
// process ends in any way. If the file system does not support that, a file has a temporary name
// with a number, and is locked. An unlocked temporary file was left by a killed process, and its
// name is reused. The mode of the file is the mode that open(path, 0666) would give, or the mode of
// the file that is replaced, as with compilers and linkers, but without the bits that would let
// other users run it as its owner.
//
// If the output exists already, the two files exchange names, and the old file is removed under the
// temporary name. ext4 flushes a file before it is renamed over another one, in case the power
// fails: 150 ms for 117 MB. An exchange needs no flush, as with the outputs of other linkers.
#include "support/output_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/file_descriptor.h"

namespace culink {

namespace {

constexpr int kMostNames = 100;

std::string temporary_name(const std::string &path, int number) {
  return path + ".culink-tmp." + std::to_string(number);
}

std::string open_name(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The writer of a temporary file holds a lock on it.
bool lock(int fd) {
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0;
}

// umask can only be read by setting it, which would race with other threads of a host process;
// a file created with O_CREAT shows the same mode.
int create_unnamed(const std::string &folder) {
  if (::access("/proc/self/fd", X_OK) != 0) // it could never get a name
    return -1;
  const int fd = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (fd >= 0)
    static_cast<void>(lock(fd));
  return fd;
}

// Removes an unlocked temporary file. Returns true if the name is free afterwards.
bool remove_leftover(const std::string &name) {
  const int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT;
  const bool left = lock(fd) && ::unlink(name.c_str()) == 0;
  ::close(fd);
  return left;
}

// Calls make(name) with successive names until it succeeds, or fails for another reason than an
// existing file. Returns the name, or "".
template <class Make> std::string find_name(const std::string &path, Make make) {
  for (int number = 0; number < kMostNames; ++number) {
    const std::string name = temporary_name(path, number);
    if (make(name))
      return name;
    if (errno != EEXIST)
      return {};
    if (remove_leftover(name) && make(name))
      return name;
  }
  return {};
}

// Exchanges two regular files. Returns false if one is not regular or the file system cannot do it.
bool change_places(const std::string &one, const std::string &other) {
  struct stat info {};
  return ::lstat(other.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

bool give_name(int fd, const std::string &name) {
  return ::linkat(AT_FDCWD, open_name(fd).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool write_pieces(int fd, std::span<const ByteSpan> pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [fd](ByteSpan bytes) { return write_all(fd, bytes); });
}

// Defers signals that would end the process while two names are changed, at least for this thread.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t before_{};
};

// Returns the target of a symbolic link that leads to a missing file.
std::string end_of_links(std::string path) {
  constexpr int kMostLinks = 40; // the limit of the system
  for (int i = 0; i < kMostLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size <= 0)
      break;
    const std::string next(target, static_cast<size_t>(size));
    path = next.starts_with('/') ? next : folder_of(path) + "/" + next;
  }
  return path;
}

} // namespace

std::optional<FileIdentity> identify_file(const std::string &path) {
  struct stat info {};
  if (path == "-")
    return std::nullopt;
  if (::stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? std::optional<FileIdentity>({info.st_dev, info.st_ino, {}})
                                 : std::nullopt;
  const std::string made = end_of_links(path);
  if (::stat(folder_of(made).c_str(), &info) != 0)
    return std::nullopt; // then it cannot be created either
  return FileIdentity{info.st_dev, info.st_ino, made.substr(made.rfind('/') + 1)};
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat info {};
  const bool exists = path_ != "-" && ::stat(path_.c_str(), &info) == 0;
  is_temporary_ = path_ != "-" && (!exists || S_ISREG(info.st_mode));
  if (!exists || !is_temporary_)
    return;
  mode_ = info.st_mode & 0777;
  // Keeps a symbolic link: replaces the file that it leads to.
  if (char *real = ::realpath(path_.c_str(), nullptr)) {
    path_ = real;
    std::free(real);
  }
}

OutputFile::~OutputFile() {
  if (!mapped_.empty())
    ::munmap(mapped_.data(), mapped_.size());
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
  if (fd_ >= 0)
    ::close(fd_);
}

void OutputFile::write(std::span<const ByteSpan> pieces) {
  if (is_temporary_)
    write_temporary(pieces);
  else
    write_directly(pieces);
}

void OutputFile::write_directly(std::span<const ByteSpan> pieces) {
  const int fd = path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    error_ = system_error("cannot open for writing");
    return;
  }
  if (!write_pieces(fd, pieces))
    error_ = system_error("cannot write");
  if (::close(fd) != 0 && !error_)
    error_ = system_error("cannot write");
}

void OutputFile::create() {
  fd_ = create_unnamed(folder_of(path_));
  if (fd_ < 0)
    temporary_ = find_name(path_, [this](const std::string &name) {
      fd_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return fd_ >= 0 && lock(fd_);
    });
}

void OutputFile::write_temporary(std::span<const ByteSpan> pieces) {
  if (fd_ < 0)
    create();
  if (fd_ < 0) {
    error_ = system_error("cannot create");
    return;
  }
  if (!write_pieces(fd_, pieces))
    error_ = system_error("cannot write");
  else
    finish();
}

// Closing a duplicate makes a network file system write its data and report errors.
void OutputFile::finish() {
  const int copy = mode_ && ::fchmod(fd_, *mode_) != 0 ? -1 : ::dup(fd_);
  if (copy < 0 || ::close(copy) != 0)
    error_ = system_error("cannot write");
}

// Reserves the space first: on a full file system, a write to the mapping would end the process.
MutableByteSpan OutputFile::map(u64 size) {
  if (fd_ < 0)
    create();
  if (fd_ < 0 || size == 0 || ::fallocate(fd_, 0, 0, static_cast<off_t>(size)) != 0)
    return {};
  void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory != MAP_FAILED)
    mapped_ = {static_cast<u8 *>(memory), size};
  return mapped_;
}

// Gives the file its name. An existing file gets the temporary name.
bool OutputFile::publish() {
  if (error_ || !is_temporary_)
    return !error_;
  published_ = temporary_.empty() && give_name(fd_, path_);
  if (published_)
    return true;
  if (temporary_.empty())
    temporary_ = find_name(path_, [this](const std::string &name) { return give_name(fd_, name); });
  published_ = !temporary_.empty() && change_places(temporary_, path_);
  if (!published_ && !temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) == 0) {
    published_ = true;
    temporary_.clear();
  }
  if (!published_)
    error_ = system_error("cannot write");
  return published_;
}

void OutputFile::settle() {
  if (!published_)
    return;
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
  ::flock(fd_, LOCK_UN); // the mapping may outlive this and would keep the lock
  temporary_.clear();
  remove_leftovers(path_);
}

void remove_leftovers(const std::string &path) {
  struct stat info {};
  for (int number = 0; number < kMostNames; ++number) {
    const std::string name = temporary_name(path, number);
    if (::lstat(name.c_str(), &info) != 0)
      return;
    static_cast<void>(remove_leftover(name));
  }
}

void OutputFile::take_back() {
  if (!published_)
    return;
  if (temporary_.empty())
    ::unlink(path_.c_str());
  else if (!change_places(temporary_, path_))
    temporary_.clear(); // keep the old file under another name rather than lose it
  published_ = false;
}

std::optional<Error> OutputFile::commit() {
  OutputFile *const files[] = {this};
  std::optional<CommitFailure> failure = commit_all(files);
  return failure ? std::optional(std::move(failure->error)) : std::nullopt;
}

std::optional<CommitFailure> commit_all(std::span<OutputFile *const> files) {
  const SignalsWait wait;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i]->publish())
      continue;
    CommitFailure failure{i, *files[i]->error_};
    while (i-- > 0)
      files[i]->take_back();
    return failure;
  }
  for (OutputFile *file : files)
    file->settle();
  return std::nullopt;
}

std::optional<Error> write_file(const std::string &path, ByteSpan bytes) {
  OutputFile file(path);
  file.write(bytes);
  return file.commit();
}

} // namespace culink
