// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/linker.h"
#include "driver/nvjitlink/abi.h"

namespace culink::jit {

// What the options of a session ask for.
struct JitOptions {
  LinkRequest request; // without inputs, compilers and cache; "compute_90" may be the target of PTX
  bool ltoir = false;  // the result is LTO-IR and no more: "-arch=lto_90"
  bool time = false;
  bool no_cache = false;
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
