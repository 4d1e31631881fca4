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

// Those of the toolkit near this process. They are looked for when they are first needed, and what
// was found stays; threads may call it at the same time, and none waits for another.
[[nodiscard]] Compilers find_compilers();

} // namespace culink::jit
