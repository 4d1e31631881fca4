// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "link/output/draft.h"

namespace culink {

// Where an image is written.
struct ImageRoom {
  MutableByteSpan bytes; // as many as the file has
  bool cleared = false;  // they are zero; otherwise they may have any value
};

void write_image(const FileDraft &draft, const ImageRoom &room, WorkerPool &pool,
                 Diagnostics &diag);

} // namespace culink
