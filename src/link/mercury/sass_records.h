// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/driver_calls.h"
#include "link/mercury/sass_constants.h"

namespace culink {

// .nv.info sections of the SASS plane.
struct SassRecords {
  std::vector<u8> bytes;       // of all sections
  std::vector<InfoWord> words; // of all sections
  struct List {
    OutId section;
    InfoList records; // in `bytes` and `words`
  };
  std::vector<List> lists;
  // Words of EXTERNS records that name functions of the driver which Mercury code does not call.
  struct CalleeWord {
    OutId section;
    u64 offset; // in the section
    u32 callee; // in DriverCalls
  };
  std::vector<CalleeWord> callees;
  std::vector<u8>
      module; // of .nv.info, the rest of which is that of the Mercury plane; mostly empty
};

// A word of a record that names a kernel's bank 0 has the OutId of the kernel's code.
[[nodiscard]] SassRecords make_sass_records(const SassContext &context, const SassCodeList &code,
                                            const DriverCalls &calls, WorkerPool &pool);

// .nv.compat with what all code allows a finalizer; empty if the output has none.
[[nodiscard]] std::vector<u8> make_compat(const SassContext &context, const SassCodeList &code);

} // namespace culink
