// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// The value of an environment variable; empty if there is none.
[[nodiscard]] std::string environment(const char *name);

// folder/name if that is a program; empty if not.
[[nodiscard]] std::string program_in(const std::string &folder, const std::string &name);

// The first program of that name in PATH, or empty.
[[nodiscard]] std::string program_in_path(const std::string &name);

// Where the programs of toolkits should be, best first: beside the nvcc that compiles, and where
// variables say.
[[nodiscard]] std::vector<std::string> toolkit_program_folders();

// Where they are if nothing says so.
inline constexpr const char *kUsualProgramFolder = "/usr/local/cuda/bin";

} // namespace culink
