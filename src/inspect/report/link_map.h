// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/link_facts.h"
#include "support/demangle.h"

namespace culink {

// The link map: every section of the output with the symbols in it and their origin, then what of
// the inputs was left out.
[[nodiscard]] std::string link_map_text(const LinkFacts &facts, NameStyle names);
// The same for programs.
[[nodiscard]] std::string link_map_json(const LinkFacts &facts);

// The second part alone, a line each.
[[nodiscard]] std::string discarded_text(const LinkFacts &facts, NameStyle names);

} // namespace culink
