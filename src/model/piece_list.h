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
// sections have one piece at their start, the code of a function, and that one needs no allocation
// here. Pieces without bytes are not listed.
class PieceList {
public:
  void push_back(const Piece &piece) {
    if (piece.bytes.empty())
      return;
    if (piece.offset == 0 && size() == 0) {
      first_ = piece.bytes;
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
    return (first_.empty() ? 0 : 1) + (more_ ? static_cast<u32>(more_->size()) : 0);
  }
  // Precondition: i < size().
  [[nodiscard]] Piece operator[](u32 i) const {
    if (first_.empty())
      return (*more_)[i];
    return i == 0 ? Piece{0, first_} : (*more_)[i - 1];
  }

  // The bytes that the section begins with, or none; and whether there are others.
  [[nodiscard]] ByteSpan first() const { return first_; }
  [[nodiscard]] bool has_more() const { return more_ != nullptr; }

private:
  ByteSpan first_;
  std::unique_ptr<std::vector<Piece>> more_;
};

} // namespace culink
