// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system gives large pages to memory that is mapped for itself and asks for them, where a whole
// one fits. They are optional: kernels without them refuse, which is no error.
#include "base/large_pages.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>

namespace culink {

namespace {

u64 whole_pages(u64 size) {
  return (size + kLargePage - 1) / kLargePage * kLargePage;
}

} // namespace

// From the beginning of a large page on, because the parts of pages at both ends would cost
// hundreds of page faults. What is mapped too much to find one is given back.
u8 *map_large_pages(u64 size) {
  constexpr u64 kMost = u64{1} << 47; // nobody has as much, and sums stay in range
  if (size > kMost)
    return nullptr;
  const u64 room = whole_pages(size);
  void *mapped = ::mmap(nullptr, room + kLargePage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  u8 *bytes = static_cast<u8 *>(mapped);
  const u64 before = whole_pages(reinterpret_cast<std::uintptr_t>(mapped)) -
                     reinterpret_cast<std::uintptr_t>(mapped);
  if (before != 0)
    ::munmap(bytes, before);
  ::munmap(bytes + before + room, kLargePage - before);
  // Clearing a whole page at the end is quicker than the page faults of half of it.
  if (const u64 large = whole_pages(size - std::min(size, kLargePage / 2)); large != 0)
    ::madvise(bytes + before, large, MADV_HUGEPAGE);
  return bytes + before;
}

void unmap_large_pages(u8 *bytes, u64 size) {
  ::munmap(bytes, whole_pages(size));
}

} // namespace culink
