// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_code.h"

namespace culink {

// Calls of the driver's functions that machine code has in place of Mercury instructions: for
// textures and surfaces, on targets that do not have these instructions. The passes over Mercury
// code do not see them; this is all that they add to the SASS plane.
struct DriverCalls {
  struct Call {
    u32 callee; // in `callees`
    u64 offset; // of the relocation in the code
    u32 type;
    i64 addend;
  };
  struct Caller {
    OutId text;
    u32 registers = 0;
    u32 frame = 0;
    std::vector<Call> calls;
  };
  std::vector<std::string_view> callees; // in the order of their symbols
  std::vector<Caller> callers;           // in the order of the file
  // By OutId of a text section: callees that its function lists as its own. Kernels list those of
  // all functions that they reach.
  std::vector<std::vector<u32>> listed;

  [[nodiscard]] bool empty() const { return callers.empty(); }
};

[[nodiscard]] DriverCalls find_driver_calls(const SassContext &context, const SassCodeList &code);

// Returns the module's records with registers and stack of machine code; empty if they equal the
// records of the Mercury plane.
[[nodiscard]] RecordList make_module_records(const SassContext &context, const DriverCalls &calls,
                                             WorkerPool &pool);

} // namespace culink
