// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/link_facts.h"
#include "support/demangle.h"

namespace culink {

// What keeps the functions and variables of this name, which LinkOptions::why_live asked for: a
// line for each step of the shortest chain, or one that says why the symbol is not live.
[[nodiscard]] std::string why_live_text(const LinkFacts &facts, const std::string &name,
                                        NameStyle names);

} // namespace culink
