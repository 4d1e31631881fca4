// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/types.h"

namespace culink {

// Link-time optimisation: code that compilers left in an intermediate form (nvcc -dlto) is compiled
// as one program, by NVIDIA's compiler, and then linked with the rest (docs/compilers.md).
// What else decides about it: LinkOptions::debug, relocatable, kernels_used and ignore_host_info,
// and LinkRequest::ptxas with its options, which compiles the result.
struct LtoOptions {
  bool enabled = false; // else inputs that have such code only are refused
  // The result is the optimised program as text (LinkResult::ptx) and nothing is linked.
  bool emit_ptx = false;
  // The compiler: libnvJitLink, by its path, and the program culink, which is run again to load it.
  // Without either of them such code is refused.
  std::string library;
  std::string worker;
  // Substrings of the names of variables that the host uses; an empty list: it uses none.
  std::optional<std::vector<std::string>> variables_used;
  std::vector<std::string> nvvm_options; // -Xnvvm: options of the optimiser
  // Options of libnvJitLink as it spells them, for what has no field here ("-ftz=true").
  std::vector<std::string> library_options;
  std::optional<u32> max_registers;          // -maxrregcount
  std::optional<u32> split_compile;          // threads of the optimiser; 0: one per core
  std::optional<u32> split_compile_extended; // the program is compiled in parts, all at once
  std::string fast_compile;                  // -Ofast-compile: "0", "min", "mid" or "max"

  [[nodiscard]] bool has_compiler() const { return !library.empty() && !worker.empty(); }
};

} // namespace culink
