// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "report/wording.h"

namespace culink {

// What -v prints, in nvlink's words, one string per line and without the program's name.
[[nodiscard]] std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording);

} // namespace culink
