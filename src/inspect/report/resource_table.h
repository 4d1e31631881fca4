// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "inspect/report/wording.h"
#include "support/demangle.h"

namespace culink {

// What the program or a kernel of it needs.
struct ResourceUse {
  std::string kernel; // mangled; empty: the program
  std::string text;
};

// The program, then its kernels.
[[nodiscard]] std::vector<ResourceUse> resource_uses(const LinkFacts &facts, Wording wording);

// What -v prints, one string per line and without the program's name. nvlink shows mangled names.
[[nodiscard]] std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording,
                                                      NameStyle names = nullptr);

} // namespace culink
