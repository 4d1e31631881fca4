// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cache/cache.h"
#include "culink/finalizer_engine.h"
#include "engine/worker_process.h"

namespace culink {

// A link that an engine is asked for: all on which the answer depends, but for the engine's build.
struct EngineLink {
  std::string target;            // "sm_103"
  bool debug = false;            // link option -g
  bool relocatable = false;      // link option -r
  std::string kernels;           // -kernels-used; none: all
  std::vector<ByteSpan> objects; // prepared copies, borrowed
  u8 sm = 0;                     // what they were compiled for, which decides who is asked
};

// The engines of one link of the user's. Any number of threads may ask.
class Engines {
public:
  // The cache, which may be null, comes first.
  explicit Engines(FinalizerEngine paths, Cache *cache = nullptr)
      : paths_(std::move(paths)), cache_(cache) {}

  // The linked file, or what the engines said.
  [[nodiscard]] Result<std::vector<u8>> link(const EngineLink &job);
  [[nodiscard]] bool has_nvlink() const { return !paths_.nvlink.empty(); }

private:
  using Answer = Result<std::vector<u8>>;
  [[nodiscard]] Answer ask(const EngineLink &job);
  [[nodiscard]] CacheQuestion question_for(const EngineLink &job) const;
  [[nodiscard]] Answer link_with_program(const EngineLink &job) const;
  [[nodiscard]] Result<WorkerAnswer> link_with_library(const EngineLink &job);
  [[nodiscard]] std::optional<WorkerProcess> take_idle();

  const FinalizerEngine paths_;
  Cache *cache_;
  std::array<std::atomic<bool>, 256> refused_{}; // by what objects were compiled for
  std::mutex mutex_;
  std::vector<WorkerProcess> idle_;
};

} // namespace culink
