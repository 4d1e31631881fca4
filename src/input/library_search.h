// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_source.h"

namespace culink {

// The path of lib<name>.a in the first of the folders that has it.
[[nodiscard]] std::optional<std::string> find_library(const std::string &name,
                                                      const std::vector<std::string> &folders,
                                                      const FileSource &files = system_files());

// Whether a library belongs to the host's C and C++ runtime. Build systems name these for device
// links, too, where they need not be found.
[[nodiscard]] bool is_host_library(std::string_view name);

// Whether one of the folders has lib<name>.so: a library without code for a device link.
[[nodiscard]] bool has_shared_library(const std::string &name,
                                      const std::vector<std::string> &folders,
                                      const FileSource &files = system_files());

} // namespace culink
