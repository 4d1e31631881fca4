// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// What a program does whose first word is kWorkerWord: it loads the engine and serves requests
// until the socket is closed. Returns the exit code.
[[nodiscard]] int run_engine_worker(const std::vector<std::string> &words);

} // namespace culink
