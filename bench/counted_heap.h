// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is linked with counted_heap.cc counts its allocations: the global operator new is
// replaced, which everything in the program goes through.
#pragma once

#include <cstddef>

namespace culink::bench {

struct HeapCount {
  size_t peak = 0;        // bytes, above what was there when counting began
  size_t allocations = 0; // since then
};

void begin_counting();
[[nodiscard]] HeapCount counted();

} // namespace culink::bench
