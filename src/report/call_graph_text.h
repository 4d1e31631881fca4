// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"

namespace culink {

enum class FunctionNames : u8 { Mangled, Demangled };

// What -dump-callgraph prints, one string per line.
[[nodiscard]] std::vector<std::string> call_graph_lines(const LinkFacts &facts,
                                                        FunctionNames names);

} // namespace culink
