// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/finalizer_engine.h"

namespace culink::jit {

// NVIDIA's compilers, by their paths; empty if not installed.
struct Compilers {
  std::string ptxas;
  FinalizerEngine engine; // for sm_100 and later; its library also compiles LTO-IR, and PTX
                          // if ptxas is missing

  [[nodiscard]] bool complete() const { return engine.has_library(); }
};

// Returns the compilers of the toolkit near this process. The first complete result is kept.
// Threads may call it at the same time and do not wait for each other.
[[nodiscard]] Compilers find_compilers();

} // namespace culink::jit
