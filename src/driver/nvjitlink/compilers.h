// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/finalizer_engine.h"

namespace culink::jit {

// NVIDIA's compilers, by their paths; those that are not installed are empty.
struct Compilers {
  std::string ptxas;
  FinalizerEngine engine; // for sm_100 and later; its library also compiles LTO-IR, and PTX
                          // where there is no ptxas

  [[nodiscard]] bool complete() const { return engine.has_library(); }
};

// The compilers of the toolkit near this process. The first call searches and keeps the result.
// Threads may call it at the same time, and none waits for another.
[[nodiscard]] Compilers find_compilers();

} // namespace culink::jit
