// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/driver_calls.h"
#include "link/mercury/sass_constants.h"

namespace culink {

// .nv.info sections of the SASS plane.
struct SassRecords {
  // A word of an EXTERNS record that names a function of the driver which Mercury code does not
  // call.
  struct CalleeWord {
    u64 offset; // in the section
    u32 callee; // in DriverCalls
  };
  struct List {
    OutId section;
    RecordList records;
    std::vector<CalleeWord> callees;
  };
  std::vector<List> lists;
  RecordList module; // of .nv.info; empty if it equals that of the Mercury plane
};

// A word of a record that names a kernel's bank 0 has the OutId of the kernel's code.
[[nodiscard]] SassRecords make_sass_records(const SassContext &context, const SassCodeList &code,
                                            const DriverCalls &calls, WorkerPool &pool);

// Returns .nv.compat with the shortcuts that all code allows; empty if the output has none.
[[nodiscard]] std::vector<u8> make_compat(const SassContext &context, const SassCodeList &code);

} // namespace culink
