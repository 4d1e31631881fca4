// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "base/large_pages.h"
#include "base/types.h"
#include "base/uninitialized.h"

namespace culink {

// Memory for many small tables that are all given up at the same time. It consists of large pages
// of its own: those of the heap could not be used again for anything but small tables.
class TableMemory {
public:
  static constexpr u64 kAlignment = 64;
  static constexpr u64 kMostAtOnce = kLargePage; // bytes of one table

  TableMemory() = default;
  ~TableMemory() { release(); }
  TableMemory(const TableMemory &) = delete;
  TableMemory &operator=(const TableMemory &) = delete;

  // Each thread gets parts of pages of its own. Null: there is no more. Precondition: size is at
  // most kMostAtOnce.
  [[nodiscard]] u8 *allocate(u64 size);

  // Gives up all pages. Precondition: nobody uses them any more.
  void release();

private:
  // Pages that one thread fills from the beginning, several: free pages are kept in a limited
  // number of places, and those that nobody has touched take no memory. Two threads that touched a
  // new page at once would both have it cleared.
  static constexpr u64 kRun = 4 * kLargePage;
  struct Run {
    std::thread::id thread;
    u8 *begin;
    u64 used;
  };
  [[nodiscard]] Run *find_run(std::thread::id thread, u64 size);

  std::mutex mutex_;
  std::vector<Run> runs_; // the last one of a thread is the one that it fills
};

// Null: the thread needs a new one.
inline TableMemory::Run *TableMemory::find_run(std::thread::id thread, u64 size) {
  const auto last = std::find_if(runs_.rbegin(), runs_.rend(),
                                 [thread](const Run &run) { return run.thread == thread; });
  return last != runs_.rend() && last->used + size <= kRun ? &*last : nullptr;
}

[[gnu::noinline]] inline u8 *TableMemory::allocate(u64 size) {
  const u64 room = (size + kAlignment - 1) / kAlignment * kAlignment;
  const std::thread::id thread = std::this_thread::get_id();
  const std::lock_guard lock(mutex_);
  Run *run = find_run(thread, room);
  if (!run) {
    runs_.reserve(runs_.size() + 1); // before there are pages that could get lost
    u8 *begin = map_large_pages(kRun, FirstContent::Anything);
    if (!begin)
      return nullptr;
    run = &runs_.emplace_back(thread, begin, 0);
  }
  u8 *bytes = run->begin + run->used;
  run->used += room;
  return bytes;
}

inline void TableMemory::release() {
  const std::lock_guard lock(mutex_);
  for (const Run &run : runs_)
    unmap_large_pages(run.begin, kRun, run.used);
  runs_.clear();
}

// An UninitializedAllocator that takes memory for all but the largest tables from a TableMemory if
// there is one. Such tables must not be read after its release(); they may be destroyed. A table
// that is copied from another one is in the heap.
template <typename T> struct TableAllocator : UninitializedAllocator<T> {
  using value_type = T;
  using is_always_equal = std::false_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  TableMemory *memory = nullptr;

  TableAllocator() = default;
  TableAllocator(TableMemory *from) : memory(from) {}
  template <typename U> TableAllocator(const TableAllocator<U> &other) : memory(other.memory) {}

  [[nodiscard]] T *allocate(size_t count) {
    if (!is_from_memory(count))
      return UninitializedAllocator<T>::allocate(count);
    u8 *bytes = memory->allocate(count * sizeof(T));
    // Without memory it fails as a vector does.
    return bytes ? reinterpret_cast<T *>(bytes) : std::allocator<T>().allocate(~size_t{0});
  }
  void deallocate(T *elements, size_t count) {
    if (!is_from_memory(count))
      UninitializedAllocator<T>::deallocate(elements, count);
  }
  [[nodiscard]] TableAllocator select_on_container_copy_construction() const { return {}; }
  friend bool operator==(TableAllocator a, TableAllocator b) { return a.memory == b.memory; }

private:
  static_assert(alignof(T) <= TableMemory::kAlignment);
  [[nodiscard]] bool is_from_memory(size_t count) const {
    return memory && count <= TableMemory::kMostAtOnce / sizeof(T);
  }
};

template <typename T> using TableVector = std::vector<T, TableAllocator<T>>;

} // namespace culink
