// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sixteenth of a cache's folder: what is counted and cleaned at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "support/types.h"

namespace culink {

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

} // namespace culink
