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

// Whether a bank with this variable is refused instead of packed.
[[nodiscard]] bool cannot_pack(const Program &program, const Entity &variable, bool used,
                               bool has_pointers);

} // namespace culink::emulate
