// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large link takes a few hundred megabytes in a second, 4 KB at a time: tens of thousands of page
// faults, and address translation that misses its cache ever after. Large pages save a fifth of the
// processor time. The allocator asks for them only when the environment says so, so we let the heap
// grow once, by as much as the link is likely to need, and ask ourselves.
//
// This is a setting of the whole process and therefore the program's business, not the library's.
#include "large_heap.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/large_pages.h"

#ifdef __GLIBC__
#include <cstdint>
#include <latch>
#include <malloc.h>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>
#endif

namespace culink {

#ifdef __GLIBC__
namespace {

constexpr u64 kWorthIt = u64{4} << 20;
constexpr u64 kMost = u64{1} << 30;

// Of nearly all programs: what is freed while a link is planned is needed again.
constexpr int kMapAbove = 32 << 20;
constexpr int kTrimAbove = 1 << 30;
constexpr u32 kMostHeaps = 16; // as many threads as a link has
// What glibc reserves for the heap of a thread, at a multiple of as much.
constexpr u64 kHeapOfThread = u64{64} << 20;

// Threads that share a heap wait for each other, and glibc gives small pages to the heaps of all
// threads but the first. So threads that do nothing else have each a heap made for them, and leave
// it to the threads that come later, grown to the size that they are likely to need: it would grow
// by single pages. Where glibc keeps heaps elsewhere, nothing is changed.
void prepare_heaps_of_threads(u32 threads, u64 bytes) {
  const u64 share = std::min(bytes / threads, kHeapOfThread - kLargePage);
  std::latch all_have_one(threads);
  std::vector<std::jthread> makers;
  try {
    for (u32 i = 0; i < threads; ++i)
      makers.emplace_back([&] {
        // Each is less than what is mapped for itself.
        std::array<void *, 2> halves = {std::malloc(share / 2), std::malloc(share / 2)};
        const u64 heap =
            reinterpret_cast<std::uintptr_t>(halves[0]) / kHeapOfThread * kHeapOfThread;
        ::madvise(reinterpret_cast<void *>(heap), kHeapOfThread, MADV_HUGEPAGE);
        all_have_one.arrive_and_wait(); // who comes before another one has left has another heap
        for (void *half : halves)
          std::free(half);
      });
  } catch (const std::system_error &) { // no more threads
    all_have_one.count_down(threads - static_cast<u32>(makers.size()));
  }
}

} // namespace

void prepare_heap(u64 input_bytes, u32 threads) {
  if (input_bytes < kWorthIt)
    return;
  ::mallopt(M_MMAP_THRESHOLD, kMapAbove);
  ::mallopt(M_TRIM_THRESHOLD, kTrimAbove);
  ::mallopt(M_TOP_PAD, static_cast<int>(std::min(input_bytes * 3, kMost)));
  void *first = std::malloc(kLargePage); // more than there is: the heap grows
  ::mallopt(M_TOP_PAD, static_cast<int>(kLargePage));
  const u64 begin = reinterpret_cast<std::uintptr_t>(first);
  const u64 end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  const u64 aligned = (begin + kLargePage - 1) / kLargePage * kLargePage;
  if (first && end > aligned && end - begin <= kMost + 2 * kLargePage)
    ::madvise(reinterpret_cast<void *>(aligned), (end - aligned) / kLargePage * kLargePage,
              MADV_HUGEPAGE);
  std::free(first);
  threads = std::min(threads == 0 ? std::thread::hardware_concurrency() : threads, kMostHeaps);
  if (threads > 1) // whoever asks for one gets a process that never had more
    prepare_heaps_of_threads(threads - 1, input_bytes * 3);
}
#else
void prepare_heap(u64, u32) {}
#endif

} // namespace culink
