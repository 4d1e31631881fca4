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

// The input pieces of an output section. It is not a vector because nearly all of some 100,000
// sections have one piece, the code of a function, and that one needs no allocation here. Pieces
// without bytes are not listed.
class PieceList {
public:
  void push_back(const Piece &piece) {
    if (piece.bytes.empty())
      return;
    if (first_.bytes.empty()) {
      first_ = piece;
      return;
    }
    if (!more_)
      more_ = std::make_unique<std::vector<Piece>>();
    more_->push_back(piece);
  }
  void clear() {
    first_ = {};
    more_.reset();
  }

  [[nodiscard]] u32 size() const {
    return first_.bytes.empty() ? 0 : 1 + (more_ ? static_cast<u32>(more_->size()) : 0);
  }
  // Precondition: i < size().
  [[nodiscard]] const Piece &operator[](u32 i) const { return i == 0 ? first_ : (*more_)[i - 1]; }

private:
  Piece first_;
  std::unique_ptr<std::vector<Piece>> more_;
};

} // namespace culink
