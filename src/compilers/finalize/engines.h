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

// A temporary folder for the files of one program. It is removed with its files. A folder that a
// killed process has left is removed when the next folder is created.
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

  std::string path_;      // empty if moved from
  FileDescriptor folder_; // locked while the folder is in use
};

// The input of a link by an engine: everything that determines the answer, except the engine's
// build.
struct EngineLink {
  std::string target;            // "sm_103"
  bool debug = false;            // link option -g
  bool relocatable = false;      // link option -r
  std::string kernels;           // argument of -kernels-used; empty: all kernels
  std::vector<ByteSpan> objects; // prepared copies, borrowed
  u8 sm = 0;                     // target of the objects; affects the choice of the engine
};

// How the links of one request are distributed.
struct EngineUse {
  bool program_first = false; // nvlink is tried before the library
  u32 at_once = 1;            // the number of links that run concurrently
};

// Returns the fastest way to run that many links of code of that size with `threads` threads.
[[nodiscard]] EngineUse choose_engines(const FinalizerEngine &paths, u64 links, u64 code_bytes,
                                       u32 threads);

// The engines of one link. Safe for concurrent use.
class Engines {
public:
  // The cache, which may be null, is asked first. Engines are killed soon after `cancelled` is set;
  // it may be null.
  explicit Engines(FinalizerEngine paths, Cache *cache = nullptr,
                   const std::atomic<bool> *cancelled = nullptr)
      : paths_(std::move(paths)), cache_(cache), cancelled_(cancelled) {}
  ~Engines() { end_workers(); }
  Engines(const Engines &) = delete;
  Engines &operator=(const Engines &) = delete;

  // Stops the workers before the destructor would. Precondition: no call of link() is running.
  void end_workers();

  // Returns the linked file, or the errors of the engines. The answer does not depend on the engine
  // that gives it.
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
  std::array<std::atomic<bool>, 256> refused_{}; // by target number of the objects
  std::mutex mutex_;
  std::vector<WorkerProcess> idle_;
};

} // namespace culink
