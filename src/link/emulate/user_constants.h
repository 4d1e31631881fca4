// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink::emulate {

// Merges blocks of the bank that are equal.
[[nodiscard]] Layout merge_equal_constants(const Program &program, Layout layout, OutId bank);

// Whether variables of a bank that is packed may be where their guessed alignment puts them,
// although they cannot be loaded from there.
[[nodiscard]] bool accepts_guessed_alignment(const Program &program);

// Whether symbols of variables that are left out stay in the output, marked as internal.
[[nodiscard]] bool keeps_dropped_symbols(const Program &program);

// Whether a bank is refused instead of packed because its code uses this variable.
[[nodiscard]] bool cannot_move(const Program &program, const Entity &used);

// Whether pointers of variables that are left out stay where they were before the bank was packed:
// in other variables, or behind the end, where nvlink crashes.
[[nodiscard]] bool keeps_lost_pointers(const Program &program);

} // namespace culink::emulate
