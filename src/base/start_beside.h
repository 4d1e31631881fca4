// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/worker_pool.h"

namespace culink {

// A thread beside those of the pool, for what takes one long and nobody waits for. None where there
// are few, or the system has no more: then it is left to the caller.
[[nodiscard]] inline std::optional<std::jthread> start_beside(const WorkerPool &pool,
                                                              std::function<void()> work) {
  constexpr u32 kManyThreads = 4;
  if (pool.threads() < kManyThreads)
    return std::nullopt;
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error &) {
    return std::nullopt;
  }
}

} // namespace culink
