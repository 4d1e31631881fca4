// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection by patterns, in which nothing but the star is special: names of C++ have brackets.
#include "input/code_selection.h"

#include <algorithm>

#include "culink/host_references.h"
#include "link/model/name_pattern.h"

namespace culink {

bool CodeSelection::takes_target(std::string_view target) const {
  return targets.empty() || std::ranges::any_of(targets, [&](const std::string &pattern) {
           return matches_pattern(target, pattern);
         });
}

bool CodeSelection::takes_kernel(std::string_view name) const {
  return kernels.empty() || std::ranges::any_of(kernels, [&](const std::string &pattern) {
           return is_meant(name, pattern);
         });
}

bool CodeSelection::takes_image(const elf::ElfView &image) const {
  if (kernels.empty())
    return true;
  const elf::SymbolTable symbols = image.symbols();
  for (u32 i = 0; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
        (symbol.other & elf::kOtherKernel) != 0 && takes_kernel(symbol.name))
      return true;
  }
  return false;
}

} // namespace culink
