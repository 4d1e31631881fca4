// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "link/merge/merge.h"
#include "model/records.h"

namespace culink {

// A pair of .nv.callgraph or .nv.prototype, in names instead of numbers.
struct CallRecord {
  enum class Second : u8 { Marker, Function, Prototype };
  FunctionId first; // none: 0
  Second kind = Second::Marker;
  u32 second = 0; // marker, FunctionId or PrototypeId
};

// The content of the sections that only a linker writes.
struct Synthetic {
  std::vector<CallRecord> callgraph;
  std::vector<CallRecord> prototypes;
  std::vector<u8> tkinfo;
  std::vector<u8> cuinfo;
  std::vector<u8> compat;
  std::vector<u8> rel_action; // empty: none
};

[[nodiscard]] Synthetic synthesize_sections(const Program &program, WorkerPool &pool);

} // namespace culink
