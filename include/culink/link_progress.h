// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <functional>

#include "culink/types.h"

namespace culink {

// The progress of a running link, for other threads, and a way to cancel it.
struct LinkProgress {
  std::atomic<const char *> step = "open"; // a name that lives as long as the program
  std::atomic<u32> done = 0;               // inputs that were read
  std::atomic<u32> total = 0;
  // Any thread may set it. The link then ends at the next step or input with the error "cancelled"
  // and without bytes; compilers and engines end at once.
  std::atomic<bool> cancelled = false;
  // If set, called after each change of the values above, by several threads of the link at once.
  // Must not throw.
  std::function<void()> changed;

  void tell() const {
    if (changed)
      changed();
  }
};

} // namespace culink
