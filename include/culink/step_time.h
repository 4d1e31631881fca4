// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace culink {

// How long one step of a link took, in seconds.
struct StepTime {
  std::string_view name; // "resolve"; lives as long as the program
  double wall = 0;
  double processor = 0; // of all threads of the process
};

} // namespace culink
