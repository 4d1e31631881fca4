// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular files are mapped. Other files (pipes, /dev/stdin, /proc) are read to their end, but only
// up to a limit far above real inputs: /dev/zero has no end. An empty file gives an empty span and
// not an error; the caller decides how to treat it.
//
// If a mapped file is truncated, reading the removed part raises SIGBUS. The handler may use few
// functions other than read and write; it looks up the name of the file in the system's list of
// mappings.
#include "support/mapped_file.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "support/file_descriptor.h"

namespace culink {

namespace {

bool is_device(mode_t mode) {
  return S_ISCHR(mode) || S_ISBLK(mode);
}

constexpr size_t kMostOfPipe = size_t{1} << 30;

Result<std::vector<u8>> read_to_end(int fd, size_t most) {
  std::vector<u8> bytes;
  for (;;) {
    const size_t old = bytes.size();
    if (old > most)
      return most == 0 ? Error{"", "", "is a device"}
                       : Error{"", "", "is not a regular file, and longer than a gigabyte"};
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

// Reads /proc/self/maps line by line, without allocating.
class MapsReader {
public:
  // Returns the line of the mapping with that address, or "".
  std::string_view find(u64 address) {
    const FileDescriptor file(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    while (read_line(file.get()))
      if (u64 begin = 0, end = 0; read_range(begin, end) && begin <= address && address < end)
        return {line_, size_};
    return {};
  }

private:
  bool read_line(int fd) {
    size_ = 0;
    for (;;) {
      if (next_ == filled_) {
        const ssize_t n = ::read(fd, buffer_, sizeof buffer_);
        next_ = 0;
        filled_ = n > 0 ? static_cast<size_t>(n) : 0;
        if (filled_ == 0)
          return false;
      }
      const char c = buffer_[next_++];
      if (c == '\n')
        return true;
      const bool visible = static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
      if (size_ < sizeof line_)
        line_[size_++] = visible ? c : '?';
    }
  }

  // "ffff8000-ffff9000 r--p ..."
  bool read_range(u64 &begin, u64 &end) const {
    size_t at = 0;
    const auto number = [&](char last) {
      u64 out = 0;
      for (; at < size_ && line_[at] != last; ++at)
        out =
            out * 16 + static_cast<u64>(line_[at] >= 'a' ? line_[at] - 'a' + 10 : line_[at] - '0');
      ++at;
      return out;
    };
    begin = number('-');
    end = number(' ');
    return at < size_;
  }

  char buffer_[4096];
  char line_[4096 + 128];
  size_t next_ = 0, filled_ = 0, size_ = 0;
};

void write_text(std::string_view text) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

// Several threads may read beyond the end of a file at once; only one of them reports it.
void end_on_bus_error(int, siginfo_t *info, void *) {
  static std::atomic_flag told;
  while (told.test_and_set())
    ::pause();
  MapsReader maps;
  const std::string_view line = maps.find(reinterpret_cast<u64>(info->si_addr));
  const size_t slash = line.find('/');
  write_text(::program_invocation_short_name);
  write_text(": error: ");
  write_text(slash == std::string_view::npos ? "memory" : line.substr(slash));
  const bool is_output = line.find(" rw-s ") != std::string_view::npos;
  write_text(is_output                         ? ": cannot be written\n"
             : slash == std::string_view::npos ? " cannot be read\n"
                                               : ": became shorter while it was read\n");
  ::_exit(1);
}

} // namespace

void end_when_files_shrink() {
  struct sigaction action {};
  action.sa_sigaction = end_on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

Result<MappedFile> MappedFile::open(const std::string &path, FileType type) {
  // With O_NONBLOCK, opening a pipe without a writer does not wait.
  const int wait = type == FileType::Regular ? O_NONBLOCK : 0;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  if (!file)
    return system_error("cannot open");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    return system_error("cannot open");
  if (S_ISDIR(info.st_mode))
    return Error{"", "", kIsFolder};
  if (type == FileType::Regular && !S_ISREG(info.st_mode))
    return Error{"", "", "is not a regular file"};

  MappedFile out;
  out.identity_ = {info.st_dev, info.st_ino};
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    void *p =
        ::mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (p != MAP_FAILED) {
      out.bytes_ = {static_cast<const u8 *>(p), static_cast<size_t>(info.st_size)};
      out.mapped_ = true;
      return out;
    }
  }
  Result<std::vector<u8>> bytes =
      read_to_end(file.get(), is_device(info.st_mode) ? 0 : kMostOfPipe);
  if (!bytes)
    return bytes.error();
  out.owned_ = std::move(*bytes);
  out.bytes_ = out.owned_;
  return out;
}

MappedFile MappedFile::borrow(ByteSpan bytes, std::pair<u64, u64> identity) {
  MappedFile out;
  out.bytes_ = bytes;
  out.identity_ = identity;
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

namespace {

class SystemFiles : public FileSource {
public:
  Result<MappedFile> open(const std::string &path, FileType type) const override {
    return MappedFile::open(path, type);
  }

  bool ask(FileQuestion question, const std::string &path) const override {
    struct stat info {};
    switch (question) {
    case FileQuestion::Exists:
      return ::access(path.c_str(), F_OK) == 0;
    case FileQuestion::IsReadable:
      return ::access(path.c_str(), R_OK) == 0;
    case FileQuestion::IsFile:
      return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
    }
    return false;
  }
};

} // namespace

const FileSource &system_files() {
  static const SystemFiles files;
  return files;
}

void MappedFile::release() {
  if (mapped_)
    ::munmap(const_cast<u8 *>(bytes_.data()), bytes_.size());
  mapped_ = false;
  bytes_ = {};
}

} // namespace culink
