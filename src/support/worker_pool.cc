// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads wait for a loop, take numbers from a shared counter until all are taken, and report back.
// The posting thread works too, so a pool of n threads starts n - 1. It only waits for threads that
// have begun: a thread that wakes up later finds the loop closed and waits again, so that short
// loops do not wait for a busy machine. Loops do not nest and only one thread posts; this is
// sufficient for a list of passes.
//
// A link posts a hundred loops, and most of them follow the previous one within microseconds.
// Waking a thread takes longer than that, so threads spin for a while before they sleep.
#include "support/worker_pool.h"

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

// More threads would only wait for memory.
constexpr u32 kMostThreads = 16;

u32 choose_threads(u32 wanted) {
  if (wanted != 0)
    return std::min(wanted, kMostThreads);
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
}

// The pause instruction between two reads in a spin loop.
void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

constexpr u32 kLooks = 1000; // some ten microseconds in total

template <typename IsTrue> bool look_for(IsTrue is_true) {
  for (u32 i = 0; i < kLooks; ++i) {
    if (is_true())
      return true;
    pause_briefly();
  }
  return false;
}

} // namespace

struct WorkerPool::State {
  static constexpr u32 kOpen = u32{1} << 31;
  std::atomic<u32> door = 0;     // kOpen while helpers may join, plus the number of helpers inside
  std::atomic<u32> loop = 0;     // number of the newest loop
  std::atomic<u32> sleeping = 0; // number of sleeping helpers
  std::atomic<bool> ending = false;
  const std::function<void(u32)> *work = nullptr;
  u32 count = 0;
  std::atomic<u32> next = 0;
  std::mutex mutex;
  std::condition_variable posted; // a new loop, or the end
  std::condition_variable done;   // the last helper has left a closed loop
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
      next.store(count, std::memory_order_relaxed); // makes the other threads stop
    }
  }

  // Tries to enter a loop that differs from `left`, the last one. Returns true on success.
  bool join(u32 left) {
    u32 now = door.load();
    while ((now & kOpen) != 0 && loop.load() != left)
      if (door.compare_exchange_weak(now, now + 1))
        return true;
    return false;
  }

  // Waits for a loop and enters it. Returns false if there will be no further loop.
  bool wait_for_loop(u32 left) {
    bool joined = false;
    const auto goes_on = [&] { return (joined = join(left)) || ending.load(); };
    if (look_for(goes_on))
      return joined;
    std::unique_lock lock(mutex);
    ++sleeping; // before the last check: the poster sees this, or this thread sees the loop
    posted.wait(lock, goes_on);
    --sleeping;
    return joined;
  }

  void help() {
    for (u32 left = 0; wait_for_loop(left);) {
      left = loop.load(); // no other loop begins while this thread is inside
      take_numbers();
      if (--door == 0) { // closed, and no other helper is inside
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }

  void open(u32 numbers, const std::function<void(u32)> &body) {
    work = &body;
    count = numbers;
    next.store(0, std::memory_order_relaxed);
    ++loop;
    door = kOpen;
    if (sleeping.load() != 0) {
      {
        const std::lock_guard lock(mutex);
      } // a thread that is counted now sleeps, or will check again
      wake(std::min(numbers - 1, sleeping.load()));
    }
  }

  void wake(u32 threads) {
    if (threads >= sleeping.load())
      return posted.notify_all();
    for (u32 i = 0; i < threads; ++i)
      posted.notify_one();
  }

  void close() {
    door &= ~kOpen;
    const auto is_empty = [this] { return door.load() == 0; };
    if (look_for(is_empty))
      return;
    std::unique_lock lock(mutex);
    done.wait(lock, is_empty);
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

// Starts as many threads as the system allows. Zero threads are not an error.
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
  state.open(count, work);
  state.take_numbers();
  state.close();
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
