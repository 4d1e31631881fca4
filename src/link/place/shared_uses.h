// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink {

// Which code refers to which shared variable.
struct SharedUses {
  std::vector<std::vector<FunctionId>> users; // by EntityId: functions in the output, ascending
  // By EntityId: code refers to it, also code of discarded functions.
  std::vector<bool> referenced;
};

[[nodiscard]] SharedUses find_shared_uses(const Program &program, const Layout &layout);

// The ends of kernels, raised to the largest of each group of kernels, until all groups agree.
[[nodiscard]] std::vector<u64> agree_on_largest(const std::vector<std::vector<FunctionId>> &groups,
                                                std::vector<u64> ends);

} // namespace culink
