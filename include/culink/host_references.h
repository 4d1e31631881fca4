// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// The kernels that host code refers to, as patterns of whole names in which '*' stands for any
// text.
struct HostReferences {
  std::vector<std::string> external_kernels; // of global symbols
  std::vector<std::string> internal_kernels; // of local symbols

  friend bool operator==(const HostReferences &, const HostReferences &) = default;
};

// Whether all of `name` fits a pattern. Takes time proportional to the product of their lengths at
// most.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

} // namespace culink
