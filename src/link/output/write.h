// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/output/draft.h"
#include "support/worker_pool.h"

namespace culink {

// Writes the file. Precondition: `image` has draft.layout.file_size bytes, all zero.
void write_image(const FileDraft &draft, MutableByteSpan image, WorkerPool &pool,
                 Diagnostics &diag);

} // namespace culink
