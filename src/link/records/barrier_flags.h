// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge/merge.h"
#include "link/resolve/reach.h"
#include "model/records.h"

namespace culink {

// The plan with records for the barriers that objects of toolkit 12 count in the flags of their
// code. A kernel's record covers the functions it reaches.
[[nodiscard]] InfoPlan add_barrier_records(const Program &program, const Reach &reach,
                                           const Layout &layout, InfoPlan plan);

} // namespace culink
