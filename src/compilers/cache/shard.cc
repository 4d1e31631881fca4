// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeping a folder small without looking at it. Each of its sixteen shards has a file with the
// bytes in the shard, which every writer adds to before it writes: whoever is killed in between has
// counted too much, never too little. Only when the sum passes the limit does one process look at
// the files of that shard, remove the oldest and put the count right.
//
// A file's time is that of its last use. Locks are waited for a moment only: a process that was
// stopped while it held one must not stop the others.
#include "compilers/cache/shard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::string_view kCountFile = "size";
constexpr std::string_view kCleaningFile = "cleaning";
constexpr u64 kBlock = 4096;
constexpr time_t kAbandoned = 3600; // seconds that nobody needs to write a file

// A file that is locked as long as this lives.
class LockedFile {
public:
  LockedFile(int folder, const std::string &path, u32 attempts) {
    constexpr auto kPause = std::chrono::microseconds(500);
    fd_ = ::openat(folder, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    for (u32 i = 0; fd_ >= 0 && i < attempts && !locked_; ++i) {
      if (i != 0)
        std::this_thread::sleep_for(kPause);
      locked_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
    }
  }
  LockedFile(const LockedFile &) = delete;
  LockedFile &operator=(const LockedFile &) = delete;
  ~LockedFile() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  [[nodiscard]] bool exists() const { return fd_ >= 0; }
  [[nodiscard]] bool locked() const { return locked_; }

  // The number and its complement, so that half a count is none.
  [[nodiscard]] std::optional<u64> count() const {
    std::array<u8, 16> bytes{};
    if (::pread(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      return std::nullopt;
    const u64 number = load_le<u64>(bytes.data());
    return load_le<u64>(bytes.data() + 8) == ~number ? std::optional(number) : std::nullopt;
  }
  bool set_count(u64 number) const {
    std::array<u8, 16> bytes{};
    store_le(bytes.data(), number);
    store_le(bytes.data() + 8, ~number);
    return ::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  }

private:
  int fd_ = -1;
  bool locked_ = false;
};

constexpr u32 kPatience = 200; // attempts

struct ShardFile {
  std::string name;
  u64 space = 0;
  timespec used{};
};

bool is_older(const ShardFile &a, const ShardFile &b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                        : a.used.tv_nsec < b.used.tv_nsec;
}

void remove_in_shard(int folder, const std::string &shard, const std::string &name) {
  ::unlinkat(folder, (shard + "/" + name).c_str(), 0);
}

// The files of a shard, without those that were abandoned, which are removed.
std::vector<ShardFile> list_shard(int folder, const std::string &shard) {
  std::vector<ShardFile> out;
  const time_t now = std::time(nullptr);
  for_files_in_shard(folder, shard, [&](const std::string &name, const struct stat &info) {
    if (!name.starts_with(kUnfinished))
      out.push_back({name, space_of(static_cast<u64>(info.st_size)), info.st_mtim});
    else if (now - info.st_mtim.tv_sec > kAbandoned)
      remove_in_shard(folder, shard, name);
  });
  return out;
}

} // namespace

std::string cache_shard(u32 number) {
  return std::string("v1/") + "0123456789abcdef"[number % kCacheShards];
}

u64 space_of(u64 size) {
  return align_up(size, kBlock);
}

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
    if (name != kCountFile && name != kCleaningFile &&
        ::fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode))
      visit(name, info);
  }
  ::closedir(list);
}

ShardState reserve_space(int folder, const std::string &shard, u64 size, u64 limit) {
  const LockedFile file(folder, shard + "/" + std::string(kCountFile), kPatience);
  if (!file.locked())
    return file.exists() ? ShardState::Busy : ShardState::Failed;
  const std::optional<u64> before = file.count();
  const u64 after = checked_add(before.value_or(limit), space_of(size)).value_or(limit);
  if (!file.set_count(after))
    return ShardState::Failed;
  return after > limit ? ShardState::Full : ShardState::Fits;
}

void clean_shard(int folder, const std::string &shard, u64 limit) {
  const LockedFile cleaning(folder, shard + "/" + std::string(kCleaningFile), 1);
  if (!cleaning.locked())
    return;
  const std::string count_path = shard + "/" + std::string(kCountFile);
  u64 before = 0;
  if (const LockedFile count(folder, count_path, kPatience); count.locked())
    before = count.count().value_or(0);
  std::vector<ShardFile> files = list_shard(folder, shard);
  u64 space = 0;
  for (const ShardFile &file : files)
    space += file.space;
  if (space > limit) {
    std::sort(files.begin(), files.end(), is_older);
    for (const ShardFile &file : files) {
      if (space <= limit - limit / 5)
        break;
      remove_in_shard(folder, shard, file.name);
      space -= file.space;
    }
  }
  if (const LockedFile count(folder, count_path, kPatience); count.locked()) {
    const u64 now = count.count().value_or(before);
    static_cast<void>(count.set_count(space + (now > before ? now - before : 0)));
  }
}

} // namespace culink
