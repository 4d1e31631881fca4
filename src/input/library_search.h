// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace culink {

// The path of lib<name>.a in the first of the folders that has it.
[[nodiscard]] std::optional<std::string> find_library(const std::string &name,
                                                      const std::vector<std::string> &folders);

// Whether one of the folders has lib<name>.so: a library without code for a device link.
[[nodiscard]] bool has_shared_library(const std::string &name,
                                      const std::vector<std::string> &folders);

} // namespace culink
