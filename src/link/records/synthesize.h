// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/merge/merge.h"
#include "link/model/record_list.h"
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

// The content of the sections that only a linker writes.
struct Synthetic {
  CallRecords callgraph;
  CallRecords prototypes;
  std::vector<u8> tkinfo;
  std::vector<u8> cuinfo;
  std::vector<u8> compat;
  std::vector<u8> rel_action; // empty: none
};

[[nodiscard]] Synthetic synthesize_sections(const Program &program);

} // namespace culink
