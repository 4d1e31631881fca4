// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/cache/digest.h"
#include "compilers/cache/folder.h"
#include "compilers/cache/remote_store.h"
#include "culink/cache_options.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The state of a file as its metadata gives it. It changes whenever the contents change.
struct FileState {
  u64 device = 0;
  u64 number = 0;
  u64 size = 0;
  i64 written = 0; // modification time in nanoseconds
  i64 changed = 0; // status change time in nanoseconds; programs cannot set it back

  bool operator==(const FileState &) const = default;
};

[[nodiscard]] std::optional<FileState> state_of(const std::string &path);

struct ProgramIdentity {
  Digest contents;
  FileState state;
  bool settled = false; // true if every later change will change the state
};

// Reads the whole file. Returns nullopt if it cannot be read, if it changes meanwhile, or if it is
// not an executable or library. The behaviour of a script depends on other files.
[[nodiscard]] std::optional<ProgramIdentity> identify_program(const std::string &path);

// Everything that determines the answer of a compiler.
struct CacheQuestion {
  std::string_view kind;             // the kind of job and of its answer, such as "ptx"
  std::vector<std::string> programs; // paths of the compilers, each by its role; "": none
  std::vector<std::string> words;    // target and options, in order
  std::vector<ByteSpan> contents;    // inputs, in order
};

// The digest of a question.
class CacheKey {
public:
  [[nodiscard]] const Digest &digest() const { return digest_; }

private:
  friend class Cache;
  Digest digest_{};
  std::vector<std::pair<std::string, FileState>> programs_;
};

// Cached answers of compilers from earlier links. Opens nothing before the first question. Safe for
// concurrent use; every failure is a miss.
class Cache {
public:
  explicit Cache(CacheOptions options);
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  // Returns nullopt if the cache is off, or if the compiler or its inputs are not fully known, for
  // instance because an option names a file.
  [[nodiscard]] std::optional<CacheKey> key_of(const CacheQuestion &question);
  // `holds` checks the contents of an answer. An answer that fails the check is removed.
  [[nodiscard]] std::optional<CompilerAnswer>
  find(const CacheKey &key, const std::function<bool(const CompilerAnswer &)> &holds);
  void keep(const CacheKey &key, ByteSpan image, std::string_view text);

  [[nodiscard]] CacheUse use() const;
  // Returns the problems of the folder and the store, each once, for messages.
  [[nodiscard]] std::vector<std::string> troubles() const;

private:
  [[nodiscard]] const CacheFolder *folder();
  [[nodiscard]] std::optional<ProgramIdentity> identify(const std::string &path);
  [[nodiscard]] std::optional<ProgramIdentity> identify_once(const std::string &path);
  [[nodiscard]] std::optional<CompilerAnswer> find_local(const Digest &key);
  void keep_local(const Digest &key, ByteSpan entry);
  void note_trouble(std::string &place, const std::string &what);

  const CacheOptions options_;
  const std::string environment_; // variables that compilers may read
  std::once_flag opened_;
  std::optional<CacheFolder> folder_;
  std::optional<RemoteStore> remote_;
  std::atomic<bool> writes_ = true;
  std::atomic<u32> local_hits_ = 0, remote_hits_ = 0, misses_ = 0, stored_ = 0;
  std::mutex identities_mutex_;
  std::map<std::string, std::optional<ProgramIdentity>> identities_;
  mutable std::mutex mutex_; // protects the texts
  std::string folder_trouble_, write_trouble_, entry_trouble_;
};

// Returns the answer from the cache, which may be null, or else from the compiler that `ask` runs.
// Successful answers are cached.
[[nodiscard]] Result<CompilerAnswer>
answer_once(Cache *cache, const CacheQuestion &question,
            const std::function<bool(const CompilerAnswer &)> &is_sound,
            const std::function<Result<CompilerAnswer>()> &ask);

} // namespace culink
