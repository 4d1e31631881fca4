// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/merge/merge.h"
#include "link/resolve/reach.h"
#include "support/worker_pool.h"

namespace culink {

// Registers and stack of every node of the call graph, what it reaches included.
struct Resources {
  std::vector<u32> own_registers;
  std::vector<u32> own_frame;
  std::vector<u32> stack_limit; // 0: none
  std::vector<u32> registers;   // maximum over what it reaches
  std::vector<u64> stack;       // deepest call chain, unless unbounded
  std::vector<u8> unbounded;    // recursion can be reached; bytes, for several threads
};

// The resources of each function alone, from the records of its object.
[[nodiscard]] Resources own_resources(const Program &program, WorkerPool &pool);

// The resources of each function and of those that it reaches.
[[nodiscard]] Resources propagate_resources(const Program &program, const Reach &reach,
                                            Resources own);

} // namespace culink
