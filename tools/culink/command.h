// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// Runs the program with the words after its name. The result is its exit status.
[[nodiscard]] int run_command(const std::vector<std::string> &words);

} // namespace culink
