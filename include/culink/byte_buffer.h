// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "culink/types.h"

namespace culink {

// Bytes of a fixed size, zero at first. A buffer owns its bytes or borrows them.
class ByteBuffer {
public:
  ByteBuffer() = default;
  // Throws std::bad_alloc where a vector would.
  explicit ByteBuffer(u64 size) : own_(std::make_unique<u8[]>(size)), bytes_(own_.get(), size) {}
  // Refers to bytes of another owner, which must outlive the buffer.
  [[nodiscard]] static ByteBuffer borrow(MutableByteSpan bytes) {
    ByteBuffer out;
    out.bytes_ = bytes;
    return out;
  }

  [[nodiscard]] u8 *data() { return bytes_.data(); }
  [[nodiscard]] const u8 *data() const { return bytes_.data(); }
  [[nodiscard]] u64 size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] u8 *begin() { return data(); }
  [[nodiscard]] u8 *end() { return data() + size(); }
  [[nodiscard]] const u8 *begin() const { return data(); }
  [[nodiscard]] const u8 *end() const { return data() + size(); }
  [[nodiscard]] u8 &operator[](u64 i) { return bytes_[i]; }
  [[nodiscard]] const u8 &operator[](u64 i) const { return bytes_[i]; }

  ByteBuffer(ByteBuffer &&other) noexcept
      : own_(std::move(other.own_)), bytes_(std::exchange(other.bytes_, {})) {}
  ByteBuffer &operator=(ByteBuffer &&other) noexcept {
    own_ = std::move(other.own_);
    bytes_ = std::exchange(other.bytes_, {});
    return *this;
  }

  [[nodiscard]] friend bool operator==(const ByteBuffer &a, ByteSpan b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  [[nodiscard]] friend bool operator==(const ByteBuffer &a, const ByteBuffer &b) {
    return a == ByteSpan(b);
  }

private:
  std::unique_ptr<u8[]> own_; // null: borrowed
  MutableByteSpan bytes_;
};

} // namespace culink
