// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "model/diagnostics.h"

namespace culink {

// Adds the shortest chain of calls from one function to another as places of a message.
void add_call_path(const Program &program, FunctionId from, FunctionId to, Diagnostic &message);

// The same to a function that may call itself again, and the circle it does so in.
void add_call_cycle(const Program &program, const Reach &reach, FunctionId from,
                    Diagnostic &message);

} // namespace culink
