// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// What host code refers to, as patterns of whole names in which '*' stands for any text. Variables
// matter to link-time optimisation only, which removes them.
struct HostReferences {
  std::vector<std::string> external_kernels; // of global symbols
  std::vector<std::string> internal_kernels; // of local symbols
  std::vector<std::string> external_variables;
  std::vector<std::string> internal_variables;
  std::vector<std::string> external_constants;
  std::vector<std::string> internal_constants;
  // Kernels are judged before objects are read, which shows in the names that unused ones leave
  // behind.
  bool known_early = false;

  friend bool operator==(const HostReferences &, const HostReferences &) = default;
};

// Whether all of `name` fits a pattern. Takes time proportional to the product of their lengths at
// most.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

} // namespace culink
