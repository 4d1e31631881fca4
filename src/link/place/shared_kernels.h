// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/raw_table.h"
#include "base/worker_pool.h"
#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink {

// Kernels of an executable, and what is known of their shared memory before any is placed.
struct SharedKernels {
  std::vector<FunctionId> list;
  RawVector<OutId> section_of; // by FunctionId: the section that merging has found
  RawVector<u64> end;          // by FunctionId: of memory that is in use, 0
  // Merging has found one for each kernel, and they are in the order of the kernels.
  bool own_sections = true;
};

[[nodiscard]] SharedKernels list_shared_kernels(const Program &program, const Layout &layout,
                                                WorkerPool &pool);

} // namespace culink
