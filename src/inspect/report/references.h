// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "support/demangle.h"

namespace culink {

// --trace-symbol: which inputs define or refer to these symbols, in the order of the inputs.
[[nodiscard]] std::string
trace_symbol_text(const LinkFacts &facts, const std::vector<std::string> &wanted, NameStyle names);

// --cref: every symbol with the inputs that define it and those that refer to it, by name.
[[nodiscard]] std::string cross_reference_text(const LinkFacts &facts, NameStyle names);

// --trace: the objects that are linked, a line each; those that were PTX are marked.
[[nodiscard]] std::string inputs_text(const LinkFacts &facts,
                                      const std::vector<std::string> &compiled);

// What keeps the functions and variables of this name, which LinkOptions::why_live asked for: a
// line for each step of the shortest chain, or one that says why the symbol is not live.
[[nodiscard]] std::string why_live_text(const LinkFacts &facts, const std::string &name,
                                        NameStyle names);

} // namespace culink
