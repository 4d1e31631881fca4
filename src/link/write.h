// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "culink/byte_buffer.h"
#include "link/classify_relocs.h"
#include "link/synthesize.h"
#include "model/records.h"

namespace culink {

// Everything that the output holds.
struct OutputPlan {
  const Merged &merged;
  const SharedPlan &shared;
  const ConstantPlan &constants;
  const RelocationPlan &relocations;
  const InfoPlan &info;
  const Synthetic &synthetic;
};

// Numbers, lays out and writes the file.
[[nodiscard]] ByteBuffer write_image(const Program &program, const OutputPlan &plan,
                                     WorkerPool &pool, Diagnostics &diag);

} // namespace culink
