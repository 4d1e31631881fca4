// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what the heap gives out, by what malloc really sets aside, so that growing a container is
// seen with the room it takes.
#include "counted_heap.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace culink::bench {
namespace {

std::atomic<size_t> live_bytes{0}, peak_bytes{0}, bytes_before{0}, allocation_count{0};

void *count_allocation(size_t size) {
  void *p = std::malloc(size);
  if (!p)
    std::abort();
  const size_t now = live_bytes += malloc_usable_size(p);
  if (now > peak_bytes)
    peak_bytes = now;
  ++allocation_count;
  return p;
}

void forget_allocation(void *p) {
  live_bytes -= malloc_usable_size(p);
  std::free(p);
}

} // namespace

void begin_counting() {
  bytes_before = live_bytes.load();
  peak_bytes = live_bytes.load();
  allocation_count = 0;
}

HeapCount counted() {
  return {peak_bytes - bytes_before, allocation_count};
}

} // namespace culink::bench

void *operator new(size_t size) {
  return culink::bench::count_allocation(size);
}
void operator delete(void *p) noexcept {
  culink::bench::forget_allocation(p);
}
void operator delete(void *p, size_t) noexcept {
  ::operator delete(p);
}
