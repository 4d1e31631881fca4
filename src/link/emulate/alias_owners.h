// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink::emulate {

// Aliases of functions that the emulated nvlink takes for the owners of the code, because they
// precede the function in the symbol table (Q107). None unless the dialect has that defect.
// `rank`: by EntityId of a function, its order in the symbol table, or kNoIndex.
[[nodiscard]] std::vector<EntityId> find_alias_owners(const Program &program, const Layout &layout,
                                                      std::span<const u32> rank);

// Of each function that such an alias is taken for, the alias: of several, the first.
using AliasOwners = std::unordered_map<u32, u32>; // EntityIds
[[nodiscard]] AliasOwners first_alias_owners(const std::vector<EntityId> &aliases,
                                             const Layout &layout, std::span<const u32> rank);

} // namespace culink::emulate
