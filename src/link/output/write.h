// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "base/worker_pool.h"
#include "link/output/draft.h"

namespace culink {

// Where an image is written.
struct ImageRoom {
  MutableByteSpan bytes; // as many as the file has
  // Makes zeros of the bytes [begin, end), for any thread; false: it cannot. None: they may have
  // any value.
  std::function<bool(u64 begin, u64 end)> prepare = {};
};

// False: there was no room for all of it.
[[nodiscard]] bool write_image(const FileDraft &draft, const ImageRoom &room, WorkerPool &pool,
                               Diagnostics &diag);

} // namespace culink
