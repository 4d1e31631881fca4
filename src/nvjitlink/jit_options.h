// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nvjitlink/abi.h"

namespace culink::jit {

// What the options of a session say.
struct JitOptions {
  std::string arch;   // "sm_90"; with ptx also "compute_90"
  bool ltoir = false; // the result is LTO-IR and no more: "-arch=lto_90"
  bool lto = false;
  bool ptx = false;
  bool relocatable = false;
  bool debug = false;
  bool verbose = false;
  bool time = false;
  bool no_cache = false;
  std::string emulate; // -culink-emulate=: see LinkRequest::emulate
  // By substrings of their names; nothing: all of them.
  std::optional<std::vector<std::string>> kernels_used;
  std::optional<std::vector<std::string>> variables_used;
  std::vector<std::string> ptxas;     // for the compiler of PTX, as it spells them
  std::vector<std::string> nvvm;      // for the optimiser
  std::vector<std::string> lto_words; // for libnvJitLink, which has the optimiser, as they are
  std::string max_registers;
  std::string fast_compile;
  std::string split_compile;
  std::string split_compile_extended;
};

// The options, or the code that tells what is wrong with the first one that is.
struct ParsedOptions {
  Code code = Code::Success;
  std::string error; // a line for the log, or empty
  std::string infos; // lines for the other log
  JitOptions options;
};

[[nodiscard]] ParsedOptions parse_options(const std::vector<std::string> &words);

} // namespace culink::jit
