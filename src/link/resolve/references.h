// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "link/resolve/program.h"

namespace culink {

// One relocation, as a reference from one symbol to another.
struct Reference {
  ObjectId object;
  u32 section = 0; // of the object: holds the relocated bytes
  // The function or variable that these bytes belong to; none for debug information and the like.
  // A function of several names is named by the owner of the section, or by a live alias if the
  // owner is dead.
  EntityId from;
  EntityId to;
};

// Calls `visit` for every relocation of the objects against a named symbol, in the order of the
// objects and of their sections.
void each_reference(const Program &program, const std::function<void(const Reference &)> &visit);

// Kernels in the order in which the relocations of their code are read: by object, then by table.
[[nodiscard]] std::vector<FunctionId> in_reading_order(const Program &program,
                                                       std::vector<FunctionId> kernels);

} // namespace culink
