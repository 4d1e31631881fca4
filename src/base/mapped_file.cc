// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular files are mapped; whatever cannot be mapped (pipes, /dev/stdin, /proc) is read to its
// end. An empty file is an empty span and not an error; the caller decides what it means.
#include "base/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/system_error.h"

namespace culink {

namespace {

// A file descriptor that is closed when the scope ends.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};

Result<std::vector<u8>> read_to_end(int fd) {
  std::vector<u8> bytes;
  for (;;) {
    const size_t old = bytes.size();
    bytes.resize(old + 64 * 1024);
    const ssize_t n = ::read(fd, bytes.data() + old, bytes.size() - old);
    if (n < 0 && errno == EINTR) {
      bytes.resize(old);
      continue;
    }
    if (n < 0)
      return system_error("cannot read");
    bytes.resize(old + static_cast<size_t>(n));
    if (n == 0)
      return bytes;
  }
}

} // namespace

Result<MappedFile> MappedFile::open(const std::string &path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return system_error("cannot open");
  struct stat info {};
  if (::fstat(file.fd, &info) != 0)
    return system_error("cannot open");
  if (S_ISDIR(info.st_mode))
    return Error{"", "", "is a directory"};

  MappedFile out;
  out.identity_ = {info.st_dev, info.st_ino};
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    void *p =
        ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (p != MAP_FAILED) {
      out.bytes_ = {static_cast<const u8 *>(p), static_cast<size_t>(info.st_size)};
      out.mapped_ = true;
      return out;
    }
  }
  Result<std::vector<u8>> bytes = read_to_end(file.fd);
  if (!bytes)
    return bytes.error();
  out.owned_ = std::move(*bytes);
  out.bytes_ = out.owned_;
  return out;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), owned_(std::move(other.owned_)),
      identity_(other.identity_), mapped_(std::exchange(other.mapped_, false)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  if (this != &other) {
    release();
    bytes_ = std::exchange(other.bytes_, {});
    owned_ = std::move(other.owned_);
    identity_ = other.identity_;
    mapped_ = std::exchange(other.mapped_, false);
  }
  return *this;
}

MappedFile::~MappedFile() {
  release();
}

void MappedFile::drop_pages(u64 begin, u64 end) const {
  if (!mapped_ || begin >= end)
    return;
  begin -= begin % static_cast<u64>(::sysconf(_SC_PAGESIZE));
  ::madvise(const_cast<u8 *>(bytes_.data()) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::release() {
  if (mapped_)
    ::munmap(const_cast<u8 *>(bytes_.data()), bytes_.size());
  mapped_ = false;
  bytes_ = {};
}

} // namespace culink
