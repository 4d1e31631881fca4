// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/merge/merge.h"
#include "link/resolve/reach.h"
#include "model/records.h"

namespace culink {

// Objects of toolkit 12 count barriers in the flags of their code; the output has records instead.
// A kernel's record counts those of the functions it reaches.
void add_barrier_records(const Program &program, const Reach &reach, const Layout &layout,
                         InfoPlan &plan);

} // namespace culink
