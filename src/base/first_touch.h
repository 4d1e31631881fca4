// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.h"
#include "base/types.h"
#include "base/worker_pool.h"

namespace culink {

// New tables that threads are about to fill all at once. The system clears a large page when it is
// first used, and each of several threads that use it at the same time waits for a page of its own,
// of which all but one are thrown away. So one thread uses each page first.
class FirstTouch {
public:
  // What [begin, end) holds is of no use yet.
  template <typename T> void add(T *begin, T *end) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const u64 before = (kLargePage - address % kLargePage) % kLargePage;
    const u64 size = static_cast<u64>(end - begin) * sizeof(T);
    for (u64 at = before; at < size; at += kLargePage)
      pages_.push_back(reinterpret_cast<u8 *>(begin) + at);
  }

  void run(WorkerPool &pool) const {
    pool.for_each(static_cast<u32>(pages_.size()), [this](u32 i) { *pages_[i] = 0; });
  }

private:
  std::vector<u8 *> pages_;
};

} // namespace culink
