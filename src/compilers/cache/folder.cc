// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder on disk. A file is written under a temporary name and renamed when it is complete. So
// readers need no lock, and a killed process leaves no partial file under a valid name. Nothing is
// synchronised with the disk: a read detects a file that a power failure has cut.
//
// The folder is kept small without an index of its contents. Occasionally, a process that has
// written a file lists the shard of that file, one of sixteen, and removes the oldest files if the
// shard is too large. The time of a file is the time of its last use. Processes that clean a shard
// at once remove the same files.
//
// What may surprise: a folder that other users can write, or that another user owns, is not used at
// all, because its contents become part of programs.
#include "compilers/cache/folder.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <random>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/bytes.h"
#include "support/file_descriptor.h"

namespace culink {

namespace {

constexpr std::string_view kVersion = "v1";

// The path of a shard below the folder. "v1" changes with the format of files and names.
std::string cache_shard(u32 number) {
  return std::string(kVersion) + "/" + "0123456789abcdef"[number % kCacheShards];
}

struct Place {
  std::string shard; // "v1/c"
  std::string path;  // "v1/c/0123..."
};

Place place_of(const Digest &name) {
  const std::string digits = to_hex(name);
  std::string shard = cache_shard(name[0] >> 4);
  std::string path = shard + "/" + digits.substr(1);
  return {std::move(shard), std::move(path)};
}

void make_folders(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    ::mkdir(path.substr(0, at).c_str(), 0700);
  ::mkdir(path.c_str(), 0700);
}

// Backup programs skip folders that contain such a file (https://bford.info/cachedir/).
void add_tag(int folder) {
  constexpr std::string_view kTag = "Signature: 8a477f597d28d172789f06886806bc55\n"
                                    "# This file is a cache directory tag created by culink.\n";
  const FileDescriptor file(
      ::openat(folder, "CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file) // the folder works without the file
    static_cast<void>(write_all(file.get(), as_bytes(kTag)));
}

constexpr std::string_view kUnfinished = "tmp."; // prefix of the names of unfinished files

// The space that a file of that size takes on a disk.
u64 space_of(u64 size) {
  constexpr u64 kBlock = 4096;
  return align_up(size, kBlock);
}

struct ShardFile {
  std::string name;
  u64 space = 0;
  i64 used = 0; // nanoseconds
};

// Calls visit(name, info) for each file of a shard.
void for_files_in_shard(
    int folder, const std::string &shard,
    const std::function<void(const std::string &, const struct stat &)> &visit) {
  const int fd = ::openat(folder, shard.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd >= 0 ? ::fdopendir(fd) : nullptr;
  if (!list) {
    if (fd >= 0)
      ::close(fd);
    return;
  }
  while (const dirent *entry = ::readdir(list)) {
    const std::string name = entry->d_name;
    struct stat info {};
    if (::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode))
      visit(name, info);
  }
  ::closedir(list);
}

void remove_in_shard(int folder, const std::string &shard, const std::string &name) {
  ::unlinkat(folder, (shard + "/" + name).c_str(), 0);
}

// Returns the files of a shard. Removes abandoned unfinished files and does not return them.
std::vector<ShardFile> list_shard(int folder, const std::string &shard) {
  constexpr i64 kNanosecondsPerSecond = 1'000'000'000;
  constexpr time_t kAbandoned = 3600; // seconds; no process needs that long to write a file
  std::vector<ShardFile> out;
  const time_t now = std::time(nullptr);
  for_files_in_shard(folder, shard, [&](const std::string &name, const struct stat &info) {
    if (!name.starts_with(kUnfinished))
      out.push_back({name, space_of(static_cast<u64>(info.st_size)),
                     i64{info.st_mtim.tv_sec} * kNanosecondsPerSecond + info.st_mtim.tv_nsec});
    else if (now - info.st_mtim.tv_sec > kAbandoned)
      remove_in_shard(folder, shard, name);
  });
  return out;
}

// True if the writer of a file cleans its shard. That happens once for each 64th of the shard's
// limit, on average. The digest decides, so that processes need no common counter.
bool looks_at_shard(const Digest &name, u64 size, u64 limit) {
  constexpr u64 kLooks = 64;
  const u64 period = limit / (kLooks * std::max<u64>(space_of(size), 1)) + 1;
  return load_le<u64>(name.data() + 8) % period == 0;
}

// If the files exceed the limit, removes the least recently used ones until a fifth of the limit is
// free. Also removes abandoned unfinished files.
void clean_shard(int folder, const std::string &shard, u64 limit) {
  std::vector<ShardFile> files = list_shard(folder, shard);
  u64 space = 0;
  for (const ShardFile &file : files)
    space += file.space;
  if (space <= limit)
    return;
  std::ranges::sort(files, {}, &ShardFile::used);
  for (const ShardFile &file : files) {
    if (space <= limit - limit / 5)
      break;
    remove_in_shard(folder, shard, file.name);
    space -= file.space;
  }
}

// Returns a name that no other process uses.
std::string unfinished_name() {
  std::random_device random;
  return std::string(kUnfinished) + std::to_string(::getpid()) + "." + std::to_string(random()) +
         "." + std::to_string(random());
}

// True if a file is beyond the process's limit for file sizes. Writing it would raise SIGXFSZ.
bool exceeds_process_limit(u64 size) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         size > limit.rlim_cur;
}

// Does not update the time at each use: a precision of a minute is enough to find old files.
void mark_used(int fd, const struct stat &info) {
  constexpr time_t kExact = 60;
  if (std::time(nullptr) - info.st_mtim.tv_sec < kExact)
    return;
  const timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  ::futimens(fd, now);
}

} // namespace

Result<CacheFolder> CacheFolder::open(const std::string &path, u64 limit) {
  const auto open_folder = [&path] {
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  FileDescriptor folder = open_folder();
  if (!folder && errno == ENOENT) {
    make_folders(path);
    folder = open_folder();
    if (folder)
      add_tag(folder.get());
  }
  if (!folder)
    return system_error("cannot open the folder");
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0)
    return system_error("cannot look at the folder");
  if (info.st_uid != ::geteuid())
    return Error{"", "", "the folder belongs to another user"};
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error{"", "", "others can write to the folder (chmod go-w)"};
  return CacheFolder(std::move(folder), limit);
}

std::optional<std::vector<u8>> CacheFolder::read(const Digest &name) const {
  const FileDescriptor file(::openat(folder_.get(), place_of(name).path.c_str(),
                                     O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    if (errno == ELOOP) // a symbolic link, which culink never creates
      remove(name);
    return std::nullopt;
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      static_cast<u64>(info.st_size) > limit_) {
    remove(name);
    return std::nullopt;
  }
  std::vector<u8> out(static_cast<u64>(info.st_size));
  if (!read_all(file.get(), out))
    return std::nullopt;
  mark_used(file.get(), info);
  return out;
}

Result<bool> CacheFolder::write_file(const std::string &name, ByteSpan bytes) const {
  const int folder = folder_.get();
  const std::string temporary = name.substr(0, name.rfind('/') + 1) + unfinished_name();
  FileDescriptor file(
      ::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file && write_all(file.get(), bytes) && file.close() &&
      ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0)
    return true;
  const Error error = system_error("cannot write to the folder");
  ::unlinkat(folder, temporary.c_str(), 0);
  return error;
}

Result<bool> CacheFolder::write(const Digest &name, ByteSpan bytes) const {
  const auto [shard, path] = place_of(name);
  const u64 limit = limit_ / kCacheShards;
  if (space_of(bytes.size()) > limit || exceeds_process_limit(bytes.size()))
    return false;
  if (::mkdirat(folder_.get(), shard.c_str(), 0700) != 0 && errno == ENOENT) {
    ::mkdirat(folder_.get(), std::string(kVersion).c_str(), 0700);
    ::mkdirat(folder_.get(), shard.c_str(), 0700);
  }
  if (::faccessat(folder_.get(), shard.c_str(), W_OK, AT_EACCESS) != 0)
    return system_error("cannot write to the folder");
  Result<bool> out = write_file(path, bytes);
  if (looks_at_shard(name, bytes.size(), limit))
    clean_shard(folder_.get(), shard, limit);
  return out;
}

void CacheFolder::remove(const Digest &name) const {
  ::unlinkat(folder_.get(), place_of(name).path.c_str(), 0);
}

FolderUse CacheFolder::use() const {
  FolderUse out;
  for (u32 i = 0; i < kCacheShards; ++i)
    for_files_in_shard(folder_.get(), cache_shard(i),
                       [&out](const std::string &, const struct stat &info) {
                         ++out.entries;
                         out.bytes += space_of(static_cast<u64>(info.st_size));
                       });
  return out;
}

void CacheFolder::clear() const {
  for (u32 i = 0; i < kCacheShards; ++i) {
    const std::string shard = cache_shard(i);
    for_files_in_shard(folder_.get(), shard, [&](const std::string &name, const struct stat &) {
      remove_in_shard(folder_.get(), shard, name);
    });
  }
}

// ---- The file of an answer
//
// The file has a mark, two sizes, the key, a checksum, then image and text. The checksum covers all
// other bytes, so that any bit error on disk or in transit is detected. The file contains the key,
// so that a file under a wrong name is rejected. The checksum does not protect from malicious
// writers: see docs/compilers.md for the access that a shared store may allow.

namespace {

constexpr u64 kMark = 0x3130656863614375; // "uCache01"; changes with the format
constexpr u64 kSizesAt = 8;
constexpr u64 kKeyAt = 24;
constexpr u64 kChecksumAt = kKeyAt + sizeof(Digest);
constexpr u64 kContentsAt = kChecksumAt + sizeof(Digest);

Digest checksum_of(ByteSpan file) {
  Hasher hasher;
  hasher.add(file.first(kChecksumAt));
  hasher.add(file.subspan(kContentsAt));
  return hasher.finish();
}

bool has_at(ByteSpan file, u64 offset, const Digest &digest) {
  return std::equal(digest.begin(), digest.end(), file.begin() + static_cast<i64>(offset));
}

static_assert(kContentsAt == kEntryHeader);

} // namespace

std::optional<u64> entry_size(const Digest &key, ByteSpan beginning) {
  if (beginning.size() < kContentsAt || load_le<u64>(beginning.data()) != kMark ||
      !has_at(beginning, kKeyAt, key))
    return std::nullopt;
  const u64 image_size = load_le<u64>(beginning.data() + kSizesAt);
  const u64 text_size = load_le<u64>(beginning.data() + kSizesAt + sizeof(u64));
  constexpr u64 kMost = ~u64{0} - kContentsAt;
  if (image_size > kMost || text_size > kMost - image_size)
    return std::nullopt;
  return kContentsAt + image_size + text_size;
}

std::vector<u8> encode_entry(const Digest &key, ByteSpan image, std::string_view text) {
  std::vector<u8> out(kContentsAt);
  out.reserve(kContentsAt + image.size() + text.size());
  store_le(out.data(), kMark);
  store_le(out.data() + kSizesAt, u64{image.size()});
  store_le(out.data() + kSizesAt + sizeof(u64), u64{text.size()});
  std::copy(key.begin(), key.end(), out.begin() + kKeyAt);
  out.insert(out.end(), image.begin(), image.end());
  out.insert(out.end(), text.begin(), text.end());
  const Digest checksum = checksum_of(out);
  std::copy(checksum.begin(), checksum.end(), out.begin() + kChecksumAt);
  return out;
}

std::optional<CompilerAnswer> decode_entry(const Digest &key, ByteSpan file) {
  if (entry_size(key, file) != file.size() || !has_at(file, kChecksumAt, checksum_of(file)))
    return std::nullopt;
  const ByteSpan contents = file.subspan(kContentsAt);
  const u64 image_size = load_le<u64>(file.data() + kSizesAt);
  const ByteSpan image = contents.first(image_size);
  return CompilerAnswer{{image.begin(), image.end()},
                        std::string(as_text(contents.subspan(image_size)))};
}

} // namespace culink
