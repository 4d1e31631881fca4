// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "culink/types.h"

namespace culink {

// Bytes of a fixed size, zero at first. Like a vector without growing, but large ones come from the
// system already cleared and in large pages, which a linker of large programs notices.
class ByteBuffer {
public:
  ByteBuffer() = default;
  // Throws std::bad_alloc where a vector would.
  explicit ByteBuffer(u64 size);
  // Bytes that belong to somebody else, who keeps them longer.
  [[nodiscard]] static ByteBuffer borrow(MutableByteSpan bytes);

  [[nodiscard]] u8 *data() { return bytes_.get(); }
  [[nodiscard]] const u8 *data() const { return bytes_.get(); }
  [[nodiscard]] u64 size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] u8 *begin() { return data(); }
  [[nodiscard]] u8 *end() { return data() + size_; }
  [[nodiscard]] const u8 *begin() const { return data(); }
  [[nodiscard]] const u8 *end() const { return data() + size_; }
  [[nodiscard]] u8 &operator[](u64 i) { return bytes_[i]; }
  [[nodiscard]] const u8 &operator[](u64 i) const { return bytes_[i]; }

  ByteBuffer(ByteBuffer &&other) noexcept : bytes_(std::move(other.bytes_)), size_(other.size_) {
    other.size_ = 0;
  }
  ByteBuffer &operator=(ByteBuffer &&other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = other.size_;
    other.size_ = 0;
    return *this;
  }

  [[nodiscard]] friend bool operator==(const ByteBuffer &a, ByteSpan b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  [[nodiscard]] friend bool operator==(const ByteBuffer &a, const ByteBuffer &b) {
    return a == ByteSpan(b);
  }

private:
  static constexpr u64 kBorrowed = ~u64{0};
  struct Free {
    u64 mapped; // bytes, or 0: from the heap, or kBorrowed
    void operator()(u8 *bytes) const;
  };
  std::unique_ptr<u8[], Free> bytes_;
  u64 size_ = 0;
};

} // namespace culink
