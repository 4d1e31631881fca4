// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>
#include <vector>

#include "base/types.h"

namespace culink {

// Numbers that a chunk has given, as numbers of the whole. Few of them are for something that an
// earlier chunk has, most of these near the beginning. Behind the last one all numbers move by the
// same distance.
class Renumbering {
public:
  [[nodiscard]] u32 operator()(u32 own) const {
    return own < first_.size() ? first_[own] : own + distance_;
  }

  // Number 0 becomes `start`, and so on. Those below `end` may become others.
  void start_at(u32 start, u32 end) {
    distance_ = start;
    first_.resize(end);
    std::iota(first_.begin(), first_.end(), start);
  }
  void set(u32 own, u32 number) { first_[own] = number; }

  // What was dropped takes no number; set() decides what stands for it.
  void drop(u32 own) { first_[own] = kDropped; }
  void close_gaps() {
    u32 next = distance_;
    for (u32 &number : first_)
      if (number != kDropped)
        number = next++;
    distance_ = next - static_cast<u32>(first_.size());
  }

private:
  static constexpr u32 kDropped = 0xffffffff;
  std::vector<u32> first_; // up to the last one that does not move as all others
  u32 distance_ = 0;       // modulo 2^32
};

} // namespace culink
