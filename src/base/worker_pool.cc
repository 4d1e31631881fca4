// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads sleep until a loop is posted, take numbers from a shared counter until there are none
// left, and report back. The posting thread works too, so a pool of n threads starts n - 1. It
// waits only for threads that have begun: one that wakes up when all numbers are taken finds the
// loop closed and sleeps on, so that short loops do not wait for a busy machine. Loops do not nest
// and only one thread posts; that is all a list of passes needs.
#include "base/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace culink {

namespace {

// Further threads would only wait for memory.
constexpr u32 kMostThreads = 16;

u32 choose_threads(u32 wanted) {
  if (wanted != 0)
    return std::min(wanted, kMostThreads);
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
}

} // namespace

struct WorkerPool::State {
  std::mutex mutex;
  std::condition_variable posted; // a new loop, or the end
  std::condition_variable done;   // the last helper left a closed loop
  u64 loop = 0;                   // number of the newest loop
  bool open = false;              // helpers may join it
  u32 helpers_inside = 0;
  bool ending = false;
  const std::function<void(u32)> *work = nullptr;
  u32 count = 0;
  std::atomic<u32> next = 0;
  std::exception_ptr failure;
  std::vector<std::jthread> helpers;

  void take_numbers() {
    try {
      for (u32 i = next.fetch_add(1, std::memory_order_relaxed); i < count;
           i = next.fetch_add(1, std::memory_order_relaxed))
        (*work)(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure)
        failure = std::current_exception();
      next.store(count, std::memory_order_relaxed); // the others may stop
    }
  }

  void help() {
    u64 seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      posted.wait(lock, [&] { return ending || (open && loop != seen); });
      if (ending)
        return;
      seen = loop;
      ++helpers_inside;
      lock.unlock();
      take_numbers();
      lock.lock();
      if (--helpers_inside == 0 && !open)
        done.notify_one();
    }
  }
};

WorkerPool::WorkerPool(u32 threads) : threads_(choose_threads(threads)) {}

WorkerPool::~WorkerPool() {
  if (!state_)
    return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->posted.notify_all();
  state_->helpers.clear(); // joins
}

// Starts as many threads as the system allows; having none is no failure.
void WorkerPool::start_helpers() {
  state_ = std::make_unique<State>();
  try {
    for (u32 i = 1; i < threads_; ++i)
      state_->helpers.emplace_back([state = state_.get()] { state->help(); });
  } catch (const std::system_error &) {
  }
}

void WorkerPool::for_each(u32 count, const std::function<void(u32)> &work) {
  if (threads_ == 1 || count < 2) {
    for (u32 i = 0; i < count; ++i)
      work(i);
    return;
  }
  if (!state_)
    start_helpers();
  State &state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.work = &work;
    state.count = count;
    state.next.store(0, std::memory_order_relaxed);
    state.open = true;
    ++state.loop;
  }
  state.posted.notify_all();
  state.take_numbers();
  std::unique_lock lock(state.mutex);
  state.open = false;
  state.done.wait(lock, [&] { return state.helpers_inside == 0; });
  if (std::exception_ptr failure = std::exchange(state.failure, nullptr))
    std::rethrow_exception(failure);
}

void WorkerPool::for_ranges(u32 count, u32 grain, const std::function<void(u32, u32)> &work) {
  const u32 ranges = count / grain + (count % grain != 0);
  for_each(ranges, [&](u32 i) {
    work(i * grain, static_cast<u32>(std::min<u64>(u64{i + 1} * grain, count)));
  });
}

} // namespace culink
