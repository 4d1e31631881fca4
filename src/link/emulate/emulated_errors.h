// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "link/resolve/program.h"
#include "model/diagnostics.h"

namespace culink::emulate {

// Reports what the dialect's release of nvlink refuses although it can be linked, and what other
// links refuse because nvlink links it wrongly.
void check_emulated_errors(const Program &program, WorkerPool &pool, Diagnostics &diag);

// Reports a symbol that a list of resolved relocations would name and that was removed.
void check_listed_symbol(const Program &program, EntityId removed, ObjectId referrer,
                         Diagnostics &diag);

// Whether values of relocations that their fields cannot hold lose bits (Q122).
[[nodiscard]] bool truncates_values(const Program &program);

// Whether the stack of a kernel that does not fit into 32 bits is written modulo 2^32 (Q121).
[[nodiscard]] bool wraps_stack(const Program &program);

// Whether callers of the driver's functions may be given one that changes more registers (Q143).
[[nodiscard]] bool ignores_driver_registers(const Program &program);

// Whether variables that several kernels share, which links with -g and --preserve-relocs keep, are
// measured as if they were the memory of one more kernel (Q120).
[[nodiscard]] bool limits_debug_shared(const Program &program);

// Whether relocations that are kept may reach beyond the end of their section.
[[nodiscard]] bool accepts_overruns(const Program &program);

} // namespace culink::emulate
