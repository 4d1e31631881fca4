// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>

#include "support/types.h"

namespace culink {

// The threads of one link. Work is a loop over numbers. The result of number i is stored in slot i
// of a list that the caller owns, so that results do not depend on the number of threads.
//
//   std::vector<Result<InputObject>> objects(files.size());
//   pool.for_each(files.size(), [&](u32 i) { objects[i] = parse(files[i]); });
class WorkerPool {
public:
  // 0: one thread per core. The first loop that can use threads starts them; with 1, none is
  // started.
  explicit WorkerPool(u32 threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  [[nodiscard]] u32 threads() const { return threads_; }

  // Calls work(i) once for every i < count, on this thread and the others, and returns when all
  // calls have ended. If calls throw, rethrows the first exception after the other threads have
  // ended.
  void for_each(u32 count, const std::function<void(u32)> &work);

  // Calls work(begin, end) for consecutive ranges that cover [0, count), with `grain` numbers each
  // except the last.
  void for_ranges(u32 count, u32 grain, const std::function<void(u32, u32)> &work);

private:
  struct State;
  void start_helpers();

  const u32 threads_;
  std::unique_ptr<State> state_; // null until threads are started
};

} // namespace culink
