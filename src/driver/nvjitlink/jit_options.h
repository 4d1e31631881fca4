// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/linker.h"
#include "driver/nvjitlink/abi.h"

namespace culink::jit {

// The settings from the options of a session.
struct JitOptions {
  LinkRequest request; // without inputs, compilers and cache; for PTX, target may be "compute_90"
  bool ltoir = false;  // the result is only LTO-IR: "-arch=lto_90"
  bool time = false;
  bool no_cache = false;
};

// The options, or the code of the first error in them.
struct ParsedOptions {
  Code code = Code::Success;
  std::string error; // a line for the log, or empty
  std::string infos; // lines for the other log
  JitOptions options;
};

[[nodiscard]] ParsedOptions parse_options(const std::vector<std::string> &words);

} // namespace culink::jit
