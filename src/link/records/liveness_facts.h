// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/link_facts.h"
#include "link/merge/merge.h"

namespace culink {

// Why each symbol of LinkOptions::why_live is part of the output or not.
[[nodiscard]] std::vector<LivenessFacts> explain_liveness(const Program &program,
                                                          const Layout &layout);

} // namespace culink
