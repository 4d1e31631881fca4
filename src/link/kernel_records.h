// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge.h"
#include "link/propagate.h"
#include "link/reach.h"
#include "model/diagnostics.h"
#include "model/records.h"

namespace culink {

// What the records of functions say that kernels take over.
struct FunctionRecords {
  struct Inherited {
    elf::InfoAttribute attribute;
    u16 value;
  };
  std::vector<FunctionId> read_order;            // of their .nv.info.F sections
  std::vector<std::vector<EntityId>> externs;    // by FunctionId: undefined callees, filtered
  std::vector<std::vector<Inherited>> inherited; // by FunctionId: in order of reading
};

// Whether a kernel takes the attribute over from the functions it reaches. (EXTERNS is taken over
// by rules of its own.)
[[nodiscard]] bool is_inherited(elf::InfoAttribute attribute);

// Completes the records of every kernel.
void finish_kernel_records(const Program &program, const Reach &reach, const Merged &merged,
                           const Resources &resources, const std::vector<FunctionId> &kernels,
                           const FunctionRecords &functions, InfoPlan &plan, Diagnostics &diag);

} // namespace culink
