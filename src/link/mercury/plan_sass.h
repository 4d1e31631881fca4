// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_debug.h"
#include "link/mercury/sass_records.h"
#include "link/nvlink/section_owners.h"

namespace culink {

// The SASS plane of a file with both forms of the code. It borrows bytes of the inputs.
struct SassPlan {
  FileShape shape;                        // of the file that both planes share
  std::vector<FinalizedObject> finalized; // whose bytes the rest borrows
  SassCodeList code;
  DriverCalls driver_calls;
  std::vector<SectionBytes> capsules; // Mercury code, as a difference to this
  std::vector<ParameterBank> parameter_banks;
  std::vector<ImageBank> image_banks;
  std::vector<SectionBytes> compiler_banks;
  SassRecords records;
  std::vector<u8> compat;
  std::vector<SectionBytes> debug;
  RelocationPlan relocations;
  nvlink::AliasOwners alias_owners; // see link/nvlink; mostly empty
};

// Plans the SASS of a program from the plan of its Mercury code, which is not changed.
[[nodiscard]] SassPlan plan_sass(const Program &mercury, const OutputPlan &plan,
                                 const SassInputs &inputs, WorkerPool &pool, Diagnostics &diag);

} // namespace culink
