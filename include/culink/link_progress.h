// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <functional>

#include "culink/types.h"

namespace culink {

// How far a link is, for another thread to look at while it runs, and a way to end it early.
struct LinkProgress {
  std::atomic<const char *> step = "open"; // a name that lives as long as the program
  std::atomic<u32> done = 0;               // inputs that were read
  std::atomic<u32> total = 0;
  // Any thread may set it. The link ends at the next step or input, and compilers and engines at
  // once, with the error "cancelled" and without bytes.
  std::atomic<bool> cancelled = false;
  // Called after each change of the numbers above, unless empty: by threads of the link, by several
  // at once. Must not throw.
  std::function<void()> changed;

  void tell() const {
    if (changed)
      changed();
  }
};

} // namespace culink
