// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetching. Large links spend most of their time waiting for memory. Where the order of work is
// known, the data of a later step can be requested during the current one.
#pragma once

#include <cstddef>

#include "base/types.h"

namespace culink {

inline constexpr u32 kCacheLine = 64;
// How many steps ahead data is requested. A step takes some tens of nanoseconds, memory a few
// hundred.
inline constexpr u32 kStepsAhead = 8;

// Requests one cache line. To g++ 12 a function that only prefetches has no effect, and it leaves
// out calls of it; the empty statement is an effect.
inline void prefetch_line(const void *line) {
  __builtin_prefetch(line);
  asm volatile("");
}

// Requests all cache lines of an object.
template <typename T> void prefetch(const T *object) {
  const char *bytes = reinterpret_cast<const char *>(object);
  for (size_t i = 0; i < sizeof(T); i += kCacheLine)
    prefetch_line(bytes + i);
}

// In a loop over a large table that does little at each step: requests what is some way ahead of
// element i. Processors do that themselves, but not across pages of 4 KB.
template <typename Table> void prefetch_ahead(const Table &table, size_t i) {
  constexpr size_t kSteps = 2048 / sizeof(table[0]);
  if (i + kSteps < table.size())
    prefetch_line(&table[i + kSteps]);
}

} // namespace culink
