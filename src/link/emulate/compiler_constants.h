// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink::emulate {

// Whether relocations of compiler constants stay when their function is overridden, and are applied
// to the constants of the definition that prevails.
[[nodiscard]] bool keeps_overridden_relocations(const Program &program);

// The value of symbol 0 when the constants of a function have got their offset. It was `known`
// before.
[[nodiscard]] u64 null_symbol_value(const Program &program, const FunctionConstants &placed,
                                    u64 known);

} // namespace culink::emulate
