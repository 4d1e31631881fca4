// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include "culink/types.h"

namespace culink {

// How far a link is, for another thread to look at while it runs.
struct LinkProgress {
  std::atomic<const char *> step = "open"; // a name that lives as long as the program
  std::atomic<u32> done = 0;               // inputs that were read
  std::atomic<u32> total = 0;
};

} // namespace culink
