// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system gives large pages to memory that is mapped for itself and asks for them, where a whole
// one fits. They are optional: kernels without them refuse, which is no error.
#include "base/large_pages.h"

#include <cstdint>
#include <sys/mman.h>

namespace culink {

u8 *map_large_pages(u64 size) {
  void *mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  u8 *bytes = static_cast<u8 *>(mapped);
  const u64 address = reinterpret_cast<std::uintptr_t>(mapped);
  const u64 skipped = (kLargePage - address % kLargePage) % kLargePage;
  if (size >= skipped + kLargePage)
    ::madvise(bytes + skipped, (size - skipped) / kLargePage * kLargePage, MADV_HUGEPAGE);
  return bytes;
}

void unmap_large_pages(u8 *bytes, u64 size) {
  ::munmap(bytes, size);
}

} // namespace culink
