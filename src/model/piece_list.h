// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <vector>

#include "base/types.h"

namespace culink {

struct Piece {
  u64 offset = 0;
  ByteSpan bytes;
};

// What a section is put together from. Nearly all of some 100,000 sections have one piece, the code
// of a function, so that one needs no memory of its own.
class PieceList {
public:
  void push_back(const Piece &piece) {
    if (count_++ == 0) {
      first_ = piece;
      return;
    }
    if (!more_)
      more_ = std::make_unique<std::vector<Piece>>();
    more_->push_back(piece);
  }
  void clear() {
    count_ = 0;
    more_.reset();
  }

  [[nodiscard]] u32 size() const { return count_; }
  // Precondition: i < size().
  [[nodiscard]] const Piece &operator[](u32 i) const { return i == 0 ? first_ : (*more_)[i - 1]; }

private:
  Piece first_;
  std::unique_ptr<std::vector<Piece>> more_;
  u32 count_ = 0;
};

} // namespace culink
