// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "compilers/cache/digest.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// A folder has so many shards; each is counted and cleaned by itself.
inline constexpr u32 kCacheShards = 16;
// What the names of files begin with that are still being written.
inline constexpr std::string_view kUnfinished = "tmp.";

// "v1/c": below the folder; the version changes with the form of files and names.
[[nodiscard]] std::string cache_shard(u32 number);

// The space that a file of that size takes on a disk.
[[nodiscard]] u64 space_of(u64 size);

// Calls visit(name, info) for each file of a shard but those that keep its count.
void for_files_in_shard(int folder, const std::string &shard,
                        const std::function<void(const std::string &, const struct stat &)> &visit);

enum class ShardState : u8 { Fits, Full, Busy, Failed };

// Counts a file that is about to be written. Full: the shard has to be cleaned afterwards. Busy:
// the count cannot be changed now; Failed: nor later, for the reason in errno. Nothing may be
// written then.
[[nodiscard]] ShardState reserve_space(int folder, const std::string &shard, u64 size, u64 limit);

// Removes the files that were used least recently until a fifth of the limit is free, and
// unfinished ones that nobody writes any more. Does nothing while another process does it.
void clean_shard(int folder, const std::string &shard, u64 limit);

// How full a folder is.
struct FolderUse {
  u64 entries = 0;
  u64 bytes = 0;
};

// Files under their digests, in a folder that any number of processes use at once. Its files take
// about `limit` bytes at most: those that were not used for longest are removed.
class CacheFolder {
public:
  // Creates it if need be. The error says why it cannot be used: it is somebody else's, others can
  // write it, or the system refuses.
  [[nodiscard]] static Result<CacheFolder> open(const std::string &path, u64 limit);

  CacheFolder(CacheFolder &&other) noexcept;
  CacheFolder(const CacheFolder &) = delete;
  CacheFolder &operator=(const CacheFolder &) = delete;
  CacheFolder &operator=(CacheFolder &&) = delete;
  ~CacheFolder();

  // Nothing: there is no such file.
  [[nodiscard]] std::optional<std::vector<u8>> read(const Digest &name) const;
  // Others see the whole file or none. False without an error: it is too large for the folder.
  [[nodiscard]] Result<bool> write(const Digest &name, ByteSpan bytes) const;
  void remove(const Digest &name) const;

  [[nodiscard]] FolderUse use() const;
  // Removes all files, also those that other processes are writing.
  void clear() const;

private:
  CacheFolder(int fd, u64 limit) : fd_(fd), limit_(limit) {}
  [[nodiscard]] Result<bool> write_file(const std::string &name, ByteSpan bytes) const;

  int fd_;
  u64 limit_;
};

} // namespace culink
