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

// The answer of a compiler.
struct CompilerAnswer {
  std::vector<u8> image; // an image, or PTX
  std::string text;      // the compiler's messages
  int status = 0;        // exit status of the compiler; if not 0, `image` is empty
};

// The size of the header of an entry, and the size of the whole entry as its header states it.
// entry_size() returns nullopt if the bytes do not begin with a header for that key.
inline constexpr u64 kEntryHeader = 88;
[[nodiscard]] std::optional<u64> entry_size(const Digest &key, ByteSpan beginning);

// Encode an answer as a file of a folder or a shared store, and decode it. Decoding returns nullopt
// if the file is incomplete or is not the answer for `key`.
[[nodiscard]] std::vector<u8> encode_entry(const Digest &key, ByteSpan image,
                                           std::string_view text);
[[nodiscard]] std::optional<CompilerAnswer> decode_entry(const Digest &key, ByteSpan file);

// The number of shards of a folder. Each is cleaned separately.
inline constexpr u32 kCacheShards = 16;
// How full a folder is.
struct FolderUse {
  u64 entries = 0;
  u64 bytes = 0;
};

// Files named by their digests, in a folder that any number of processes use at once. The files
// take about `limit` bytes at most: the least recently used ones are removed.
class CacheFolder {
public:
  // Opens the folder, and creates it if it does not exist. Fails if another user owns it or can
  // write it, or if the system refuses.
  [[nodiscard]] static Result<CacheFolder> open(const std::string &path, u64 limit);

  // Returns nullopt if the file does not exist.
  [[nodiscard]] std::optional<std::vector<u8>> read(const Digest &name) const;
  // Writes a file atomically. Returns false without an error if it is too large for the folder.
  [[nodiscard]] Result<bool> write(const Digest &name, ByteSpan bytes) const;
  void remove(const Digest &name) const;

  [[nodiscard]] FolderUse use() const;
  // Removes all files, including files that other processes are writing.
  void clear() const;

private:
  CacheFolder(FileDescriptor folder, u64 limit) : folder_(std::move(folder)), limit_(limit) {}
  [[nodiscard]] Result<bool> write_file(const std::string &name, ByteSpan bytes) const;

  FileDescriptor folder_;
  u64 limit_;
};

} // namespace culink
