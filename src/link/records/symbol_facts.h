// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/link_facts.h"
#include "link/merge/merge.h"

namespace culink {

// Whether a name that a user typed is that of a symbol: mangled, as in the source, or as in the
// source without parameters.
[[nodiscard]] bool names_symbol(const std::string &text, std::string_view symbol);

// Every definition of the inputs is in one of these.
struct SymbolLists {
  std::vector<SymbolFacts> symbols;      // part of the output
  std::vector<DiscardedFacts> discarded; // and the others, with the reason
};
[[nodiscard]] SymbolLists list_symbols(const Program &program, const Layout &layout);

// The functions for which others stand.
[[nodiscard]] std::vector<FoldedFacts> list_folded(const Program &program);

// The inputs that define or refer to a symbol of LinkOptions::trace_symbols, and how.
[[nodiscard]] std::vector<ReferenceFacts> list_references(const Program &program);

} // namespace culink
