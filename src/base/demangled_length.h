// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "base/types.h"

namespace culink {

// Whether a mangled name (_Z...) surely stands for no more than `limit` letters and types, so that
// a library may be asked to demangle it. One that is not well formed may be anything.
[[nodiscard]] bool is_demangled_within(std::string_view name, u64 limit);

} // namespace culink
