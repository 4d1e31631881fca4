// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/types.h"

namespace culink {

// Returns the name of a symbol in the source, in the style of c++filt: `total(float const*, float*,
// int)`. Names that nvcc and ptxas generate are reduced to names in the source: a static function
// loses the mark of its file, a shared variable of a function becomes `tile in k(float*)`, a copy
// of a function for one kernel becomes `f(int) in k(float*)`. Other names are returned unchanged,
// also if the name or its readable form is too long.
[[nodiscard]] std::string demangle(std::string_view name);

// A style for names: `demangle`, the style of another linker, or nullptr for unchanged names.
using NameStyle = std::string (*)(std::string_view name);
[[nodiscard]] std::string shown_name(std::string_view name, NameStyle style);

// Returns the name alone, as users mistype it: without result, parameters and template arguments.
[[nodiscard]] std::string plain_name(std::string_view name);

// True if `wanted` refers to this symbol: by its own name, by its name in the source, or by the
// latter without parameters.
[[nodiscard]] bool is_called(std::string_view name, std::string_view wanted);

// Returns the name of a static function or variable without the prefix of nvcc for its file:
// __nv_static_<N>_<N characters>_<name>.
[[nodiscard]] std::string_view without_file(std::string_view name);

// True if a mangled name (_Z...) expands to at most `limit` letters and types, so that a library
// can demangle it safely. The result for an invalid name is not specified.
[[nodiscard]] bool is_demangled_within(std::string_view name, u64 limit);

} // namespace culink
