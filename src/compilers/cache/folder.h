// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/cache/digest.h"
#include "support/file_descriptor.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// What a compiler answered.
struct CompilerAnswer {
  std::vector<u8> image; // an image, or PTX
  std::string text;      // what it said
  int status = 0;        // of the compiler; else there is no image, and nothing is kept
};

// How long the beginning of an entry is, and the size of the whole, which the beginning says.
// Nothing: it does not begin as an entry for that key.
inline constexpr u64 kEntryHeader = 88;
[[nodiscard]] std::optional<u64> entry_size(const Digest &key, ByteSpan beginning);

// An answer as a file, in a folder or in a shared store, and back. Nothing: the file is not whole,
// or is the answer to another question than `key`.
[[nodiscard]] std::vector<u8> encode_entry(const Digest &key, ByteSpan image,
                                           std::string_view text);
[[nodiscard]] std::optional<CompilerAnswer> decode_entry(const Digest &key, ByteSpan file);

// A folder has so many shards; each is cleaned by itself.
inline constexpr u32 kCacheShards = 16;
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

  // Nothing: there is no such file.
  [[nodiscard]] std::optional<std::vector<u8>> read(const Digest &name) const;
  // Others see the whole file or none. False without an error: it is too large for the folder.
  [[nodiscard]] Result<bool> write(const Digest &name, ByteSpan bytes) const;
  void remove(const Digest &name) const;

  [[nodiscard]] FolderUse use() const;
  // Removes all files, also those that other processes are writing.
  void clear() const;

private:
  CacheFolder(FileDescriptor folder, u64 limit) : folder_(std::move(folder)), limit_(limit) {}
  [[nodiscard]] Result<bool> write_file(const std::string &name, ByteSpan bytes) const;

  FileDescriptor folder_;
  u64 limit_;
};

} // namespace culink
