// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/demangle.h"
#include "culink/link_facts.h"

namespace culink {

// What keeps the functions of this name, mangled or as in the source: a line for each step of the
// shortest chain of calls from a kernel.
[[nodiscard]] std::string why_live_text(const LinkFacts &facts, const std::string &name,
                                        NameStyle names);

} // namespace culink
