// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/record_list.h"
#include "link/records/inherit.h"
#include "link/records/propagate.h"
#include "support/worker_pool.h"

namespace culink {

// The records of the inputs, before anything is inherited.
struct ReadRecords {
  InfoPlan plan;
  ProgramRecords functions;
  // Code that has such a record, ascending; without kernels if they are completed later.
  std::vector<OutId> lists_externs;
};

// Reads the .nv.info sections of all objects. REGCOUNT of kernels comes from `resources`.
[[nodiscard]] ReadRecords read_info_records(const Program &program, const Layout &layout,
                                            const Resources &resources, WorkerPool &pool);

} // namespace culink
