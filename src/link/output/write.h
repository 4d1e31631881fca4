// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "culink/byte_buffer.h"
#include "link/output/draft.h"

namespace culink {

// Writes the file into room of its size, all zeros.
[[nodiscard]] ByteBuffer write_image(const FileDraft &draft, ByteBuffer room, WorkerPool &pool,
                                     Diagnostics &diag);

} // namespace culink
