// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether relocations of compiler constants stay when their function is overridden, and are applied
// to the constants of the definition that prevails.
[[nodiscard]] bool keeps_overridden_relocations(const Program &program);

} // namespace culink::emulate
