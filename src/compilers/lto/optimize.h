// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "compilers/cache/cache.h"
#include "compilers/engine/jit_link.h"
#include "compilers/lto/module_options.h"
#include "culink/host_references.h"
#include "culink/lto_options.h"

namespace culink {

// A program for the optimiser.
struct OptimizerTask {
  std::string target;               // "sm_90"
  std::vector<EngineInput> modules; // in the order of the inputs
  ModuleOptions compiled;           // what the modules have in common
  bool separate = false;            // other objects will be linked with it: nothing may be removed
  bool open = false;                // it may leave functions undefined
  bool debug = false;
  // What the host uses. Nothing: there is no word about it, and all of it stays.
  std::optional<HostReferences> host;
  bool host_counts = true; // else the optimiser is not told that the host was asked about
  // The library compiles the whole program itself, with these options of ptxas; nothing: to PTX.
  std::optional<std::vector<std::string>> ptxas;
};

// The options of libnvvm, in the order in which nvlink gives them.
[[nodiscard]] std::vector<std::string> optimizer_words(const OptimizerTask &task,
                                                       const LtoOptions &options);

// For modules of that many bytes: far more than any program has needed, so that only a compiler
// that hangs meets it.
[[nodiscard]] std::chrono::seconds optimizer_time(u64 bytes);

struct OptimizedProgram {
  bool failed = false;
  std::string text;    // PTX, of several parts perhaps, or the bytes of an image
  std::string remarks; // what the compiler said
};

// Lets the compiler do it, unless the cache has its answer, which may be null. An error means that
// it could not be asked, or that it broke off, as it does soon after `cancelled` is set, unless
// null.
[[nodiscard]] Result<OptimizedProgram> optimize(const OptimizerTask &task,
                                                const LtoOptions &options, Cache *cache,
                                                const std::atomic<bool> *cancelled = nullptr);

} // namespace culink
