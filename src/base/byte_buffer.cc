// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large buffers are mapped: the system has cleared them, while a vector would clear them again, and
// large pages save a page fault per 4 KB.
#include "culink/byte_buffer.h"

#include <cstdint>
#include <sys/mman.h>

namespace culink {

namespace {

constexpr u64 kLargePage = u64{2} << 20;

// Large pages are optional: kernels without them refuse, which is no error.
void ask_for_large_pages(u8 *bytes, u64 size) {
  const u64 address = reinterpret_cast<std::uintptr_t>(bytes);
  const u64 skipped = (kLargePage - address % kLargePage) % kLargePage;
  if (size >= skipped + kLargePage)
    ::madvise(bytes + skipped, (size - skipped) / kLargePage * kLargePage, MADV_HUGEPAGE);
}

u8 *map(u64 size) {
  void *bytes = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED)
    return nullptr;
  ask_for_large_pages(static_cast<u8 *>(bytes), size);
  return static_cast<u8 *>(bytes);
}

} // namespace

ByteBuffer::ByteBuffer(u64 size) : size_(size) {
  if (size >= kLargePage)
    if (u8 *bytes = map(size)) {
      bytes_ = {bytes, Free{size}};
      return;
    }
  if (size != 0)
    bytes_ = {new u8[size](), Free{0}};
}

void ByteBuffer::Free::operator()(u8 *bytes) const {
  if (mapped != 0)
    ::munmap(bytes, mapped);
  else
    delete[] bytes;
}

} // namespace culink
