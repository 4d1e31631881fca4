// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/large_pages.h"
#include "base/types.h"
#include "base/worker_pool.h"

namespace culink {

// Uses one byte of every large page of memory that nobody has used yet, so that the system clears
// each page once, all threads at a time. Without this, several threads that begin to fill one page
// each have the system clear one, of which all but one are thrown away.
inline void touch_pages(void *memory, u64 size, WorkerPool &pool) {
  if (pool.threads() == 1 || size < 2 * kLargePage)
    return;
  u8 *bytes = static_cast<u8 *>(memory);
  const u64 before = reinterpret_cast<std::uintptr_t>(memory) % kLargePage; // of the first page
  pool.for_each(static_cast<u32>((before + size - 1) / kLargePage + 1), [=](u32 page) {
    *static_cast<volatile u8 *>(bytes + (page == 0 ? 0 : page * kLargePage - before)) = 0;
  });
}

} // namespace culink
