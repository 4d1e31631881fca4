// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compilers/cache/cache.h"
#include "compilers/engine/worker.h"
#include "culink/finalizer_engine.h"
#include "support/file_descriptor.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// A folder for files of one program, removed with them. One that was left by a process that was
// killed is removed when the next one is created.
class PrivateFolder {
public:
  [[nodiscard]] static Result<PrivateFolder> create(const std::string &where);

  PrivateFolder(PrivateFolder &&other) noexcept;
  PrivateFolder(const PrivateFolder &) = delete;
  PrivateFolder &operator=(const PrivateFolder &) = delete;
  PrivateFolder &operator=(PrivateFolder &&) = delete;
  ~PrivateFolder();

  [[nodiscard]] const std::string &path() const { return path_; }

private:
  PrivateFolder(std::string path, FileDescriptor folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;      // empty: moved away
  FileDescriptor folder_; // locked as long as it is used
};

// A link that an engine is asked for: all on which the answer depends, but for the engine's build.
struct EngineLink {
  std::string target;            // "sm_103"
  bool debug = false;            // link option -g
  bool relocatable = false;      // link option -r
  std::string kernels;           // -kernels-used; none: all
  std::vector<ByteSpan> objects; // prepared copies, borrowed
  u8 sm = 0;                     // what they were compiled for, which decides who is asked
};

// How the links of one request are shared out.
struct EngineUse {
  bool program_first = false; // nvlink is asked before the library
  u32 at_once = 1;            // as many links as are done at a time
};

// What is best for so many links of code of that size, by as many threads as there may be.
[[nodiscard]] EngineUse choose_engines(const FinalizerEngine &paths, u64 links, u64 code_bytes,
                                       u32 threads);

// The engines of one link of the user's. Any number of threads may ask.
class Engines {
public:
  // The cache, which may be null, comes first. Engines are ended soon after `cancelled` is set,
  // unless null.
  explicit Engines(FinalizerEngine paths, Cache *cache = nullptr,
                   const std::atomic<bool> *cancelled = nullptr)
      : paths_(std::move(paths)), cache_(cache), cancelled_(cancelled) {}
  ~Engines() { end_workers(); }
  Engines(const Engines &) = delete;
  Engines &operator=(const Engines &) = delete;

  // Sooner than they would end otherwise. Nobody is asking.
  void end_workers();

  // The linked file, or what the engines said. Answers do not depend on which of them was asked.
  [[nodiscard]] Result<std::vector<u8>> link(const EngineLink &job, bool program_first = false);
  [[nodiscard]] bool has_nvlink() const { return !paths_.nvlink.empty(); }
  [[nodiscard]] const FinalizerEngine &paths() const { return paths_; }

private:
  using Answer = Result<std::vector<u8>>;
  [[nodiscard]] Answer ask(const EngineLink &job, bool program_first);
  [[nodiscard]] CacheQuestion question_for(const EngineLink &job) const;
  [[nodiscard]] Answer link_by_library_first(const EngineLink &job);
  [[nodiscard]] Answer link_with_program(const EngineLink &job) const;
  [[nodiscard]] Result<WorkerAnswer> link_with_library(const EngineLink &job);

  const FinalizerEngine paths_;
  Cache *cache_;
  const std::atomic<bool> *cancelled_;
  std::array<std::atomic<bool>, 256> refused_{}; // by what objects were compiled for
  std::mutex mutex_;
  std::vector<WorkerProcess> idle_;
};

} // namespace culink
