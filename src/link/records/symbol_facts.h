// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/link_facts.h"
#include "link/merge/merge.h"

namespace culink {

// What is part of the output, where it is and where it comes from; and what is not, and why.
void add_symbol_facts(const Program &program, const Layout &layout, LinkFacts &facts);

// Which inputs mention the symbols of LinkOptions::trace_symbols, and how.
void add_mentions(const Program &program, LinkFacts &facts);

} // namespace culink
