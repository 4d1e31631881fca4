// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge/merge.h"
#include "link/records/call_records.h"
#include "model/records.h"

namespace culink {

// The content of the sections that only a linker writes.
struct Synthetic {
  CallRecords callgraph;
  CallRecords prototypes;
  std::vector<u8> tkinfo;
  std::vector<u8> cuinfo;
  std::vector<u8> compat;
  std::vector<u8> rel_action; // empty: none
};

[[nodiscard]] Synthetic synthesize_sections(const Program &program);

} // namespace culink
