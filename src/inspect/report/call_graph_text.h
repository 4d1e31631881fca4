// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "inspect/report/wording.h"
#include "support/demangle.h"

namespace culink {

// What -dump-callgraph prints, one string per line, with names in this style.
[[nodiscard]] std::vector<std::string> call_graph_lines(const LinkFacts &facts, NameStyle names,
                                                        Wording wording);

} // namespace culink
