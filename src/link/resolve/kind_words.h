// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/types.h"
#include "elf/constants.h"

namespace culink {

// "a function", "a texture", "__shared__": what a symbol of that type and st_other stands for.
[[nodiscard]] std::string space_name(elf::SymbolType type, u8 other);

} // namespace culink
