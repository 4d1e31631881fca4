// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large buffers are mapped: the system has cleared them, while a vector would clear them again, and
// large pages save a page fault per 4 KB.
#include "culink/byte_buffer.h"

#include "base/large_pages.h"

namespace culink {

ByteBuffer::ByteBuffer(u64 size) : size_(size) {
  if (size >= kLargePage)
    if (u8 *bytes = map_large_pages(size)) {
      bytes_ = {bytes, Free{size}};
      return;
    }
  if (size != 0)
    bytes_ = {new u8[size](), Free{0}};
}

ByteBuffer ByteBuffer::borrow(MutableByteSpan bytes) {
  ByteBuffer out;
  out.bytes_ = {bytes.data(), Free{kBorrowed}};
  out.size_ = bytes.size();
  return out;
}

void ByteBuffer::Free::operator()(u8 *bytes) const {
  if (mapped == kBorrowed)
    return;
  if (mapped != 0)
    unmap_large_pages(bytes, mapped);
  else
    delete[] bytes;
}

} // namespace culink
