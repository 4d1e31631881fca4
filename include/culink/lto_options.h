// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/types.h"

namespace culink {

// Link-time optimisation: code that compilers left in an intermediate form (nvcc -dlto) is compiled
// as one program, by NVIDIA's compiler, and then linked with the rest (docs/compilers.md). It also
// uses LinkOptions::debug, relocatable, kernels_used and ignore_host_info, and LinkRequest::ptxas
// with its options, which compiles the result.
struct LtoOptions {
  bool enabled = false; // false: inputs with only such code are refused
  // The result is the optimised program as text (LinkResult::ptx) and nothing is linked.
  bool emit_ptx = false;
  // The paths of the compiler, libnvJitLink, and of the program culink, which is run to load it. If
  // one is empty, such code is refused.
  std::string library;
  std::string worker;
  // Substrings of the names of variables that the host uses; an empty list: it uses none.
  std::optional<std::vector<std::string>> variables_used;
  std::vector<std::string> nvvm_options; // -Xnvvm: options of the optimiser
  // Options of libnvJitLink that have no field here, in its own spelling ("-ftz=true").
  std::vector<std::string> library_options;
  std::optional<u32> max_registers;          // -maxrregcount
  std::optional<u32> split_compile;          // threads of the optimiser; 0: one per core
  std::optional<u32> split_compile_extended; // the program is compiled in parts, in parallel
  std::string fast_compile;                  // -Ofast-compile: "0", "min", "mid" or "max"

  [[nodiscard]] bool has_compiler() const { return !library.empty() && !worker.empty(); }
};

} // namespace culink
