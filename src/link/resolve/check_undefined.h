// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/diagnostics.h"
#include "link/resolve/program.h"
#include "support/worker_pool.h"

namespace culink {

// Reports undefined symbols of live code, in executables.
void check_undefined(const Program &program, Diagnostics &diag);

// Reports names in options that no symbol has, and suggests similar ones.
void check_asked_names(const Program &program, Diagnostics &diag);

// Reports functions that were not compiled as a patch, where --link-as-tools-patch asks for one.
void check_tools_patch(const Program &program, Diagnostics &diag);

// Reports functions without a register count, tables of unified functions, whose index cannot be
// read, and images that are parameters of a discarded kernel; in executables only.
void check_executable(const Program &program, WorkerPool &pool, Diagnostics &diag);

} // namespace culink
