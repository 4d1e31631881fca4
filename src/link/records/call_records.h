// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/resolve/program.h"

namespace culink {

// A pair of .nv.callgraph or .nv.prototype, in names instead of numbers.
struct CallRecord {
  enum class Second : u8 { Marker, Function, Prototype };
  FunctionId first; // none: 0
  Second kind = Second::Marker;
  u32 second = 0; // marker, FunctionId or PrototypeId
};

using CallRecords = std::vector<CallRecord>;

// The content of .nv.callgraph and of .nv.prototype.
[[nodiscard]] CallRecords list_call_graph(const Program &program);
[[nodiscard]] CallRecords list_prototypes(const Program &program);

} // namespace culink
