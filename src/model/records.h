// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the output that the linker makes or changes. They name entities and sections; numbers
// exist only when the file is written.
#pragma once

#include <vector>

#include "elf/records/nv_info.h"
#include "model/layout.h"
#include "model/record_list.h"

namespace culink {

struct InfoPlan {
  RecordList module;
  // By FunctionId of the function that a text section belongs to: see OutSection::function.
  std::vector<RecordList> of_function;
  std::vector<u64> text_flags; // by OutId: flags beside those of the layout; mostly empty
};

// The resources of a kernel, including the functions it calls.
struct KernelUse {
  FunctionId kernel;
  u32 registers = 0;
  u32 barriers = 0;
  u64 stack = 0;
  bool recursive = false;
};

} // namespace culink
