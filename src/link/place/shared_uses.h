// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/merge/merge.h"

namespace culink {

// Which code refers to which shared variable.
struct SharedUses {
  std::vector<std::vector<FunctionId>> users; // by EntityId: functions in the output, ascending
  std::vector<bool> mentioned; // by EntityId: by any code, removed code included, lost code not
};

[[nodiscard]] SharedUses find_shared_uses(const Program &program, const Layout &layout);

// Raises the ends of the kernels of each group to the largest among them, until all groups agree.
void agree_on_largest(const std::vector<std::vector<FunctionId>> &groups, std::vector<u64> &ends);

} // namespace culink
