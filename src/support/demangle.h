// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/types.h"

namespace culink {

// What the source calls a symbol, in the style of c++filt: `total(float const*, float*, int)`.
// Names that nvcc and ptxas make up are led back to what somebody wrote: a static function loses
// the mark of its file, a shared variable of a function is `tile in k(float*)`, a copy of a
// function that belongs to one kernel is `f(int) in k(float*)`. Anything else comes back as it is,
// and so does a name that is too long or would be.
[[nodiscard]] std::string demangle(std::string_view name);

// A way to show names: `demangle`, the way of another linker, or nullptr for names as they are.
using NameStyle = std::string (*)(std::string_view name);
[[nodiscard]] std::string shown_name(std::string_view name, NameStyle style);

// The name alone, which people mistype: without result, parameters and template arguments.
[[nodiscard]] std::string plain_name(std::string_view name);

// Whether somebody who says `wanted` means this symbol: by its own name, by the one that the source
// has, or by that without parameters.
[[nodiscard]] bool is_called(std::string_view name, std::string_view wanted);

// The name of a static function or variable without the file that nvcc puts before it:
// __nv_static_<N>_<N characters>_<name>.
[[nodiscard]] std::string_view without_file(std::string_view name);

// True if a mangled name (_Z...) surely stands for no more than `limit` letters and types, so that
// a library may be asked to demangle it. One that is not well formed may be anything.
[[nodiscard]] bool is_demangled_within(std::string_view name, u64 limit);

} // namespace culink
