// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"

namespace culink {

// What one kind of section, input or kernel takes.
struct MapTotal {
  std::string name;
  u64 bytes = 0;
  u32 definitions = 0;
};

// All three with the largest first; those of one size by name.
[[nodiscard]] std::vector<MapTotal> totals_by_kind(const LinkFacts &facts);   // all sections
[[nodiscard]] std::vector<MapTotal> totals_by_input(const LinkFacts &facts);  // all symbols
[[nodiscard]] std::vector<MapTotal> totals_by_kernel(const LinkFacts &facts); // names mangled

} // namespace culink
