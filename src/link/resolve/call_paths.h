// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "model/diagnostics.h"

namespace culink {

// Adds the shortest chain of calls from one function to another to the origins of a message.
void add_call_path(const Program &program, FunctionId from, FunctionId to, Diagnostic &message);

// Adds the shortest chain from a function to one that may call itself again, and the cycle in which
// it does so.
void add_call_cycle(const Program &program, const Reach &reach, FunctionId from,
                    Diagnostic &message);

} // namespace culink
