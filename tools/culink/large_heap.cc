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
#include <cstdlib>

#include "base/large_pages.h"

#ifdef __GLIBC__
#include <cstdint>
#include <malloc.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#endif

namespace culink {

#ifdef __GLIBC__
namespace {

constexpr u64 kWorthIt = u64{4} << 20;
constexpr u64 kMost = u64{1} << 30;

// Of nearly all programs: what is freed while a link is planned is needed again.
constexpr int kMapAbove = 32 << 20;
constexpr int kTrimAbove = 1 << 30;
// Other heaps than the first have small pages. Where threads are few they hardly ever wait for each
// other, and have one heap together.
constexpr u32 kThreadsPerHeap = 4;

} // namespace

void prepare_heap(u64 input_bytes) {
  if (input_bytes < kWorthIt)
    return;
  ::mallopt(M_MMAP_THRESHOLD, kMapAbove);
  ::mallopt(M_TRIM_THRESHOLD, kTrimAbove);
  const u32 threads = std::thread::hardware_concurrency();
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::max(threads / kThreadsPerHeap, 1u)));
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
}
#else
void prepare_heap(u64) {}
#endif

} // namespace culink
