// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// The references of host code, as patterns of whole names with '*' for any text. Variables are used
// by link-time optimisation only, which removes the others.
struct HostReferences {
  std::vector<std::string> external_kernels; // of global symbols
  std::vector<std::string> internal_kernels; // of local symbols
  std::vector<std::string> external_variables;
  std::vector<std::string> internal_variables;
  std::vector<std::string> external_constants;
  std::vector<std::string> internal_constants;
  // Kernels are selected before objects are read. The output shows it in the names that unused
  // kernels leave in its string tables.
  bool known_early = false;

  friend bool operator==(const HostReferences &, const HostReferences &) = default;
};

// True if the whole of `name` matches a pattern. The time is at most proportional to the product of
// their lengths.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

} // namespace culink
