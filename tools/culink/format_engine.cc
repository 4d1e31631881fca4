// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one function of fmt that all formatting ends in, compiled into the program. A shared libfmt
// needs a shared libstdc++, and binding the symbols of these takes longer than a small link. fmt
// comes as headers that can stand for its library, so that no other copy of it is needed.
//
// What may surprise: this file is never compiled together with others (CMakeLists.txt), because the
// macro gives the same headers another meaning.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace culink {

// Nobody calls through it; it makes the compiler emit the function, which is inline here.
using FormatEngine = std::string (*)(fmt::string_view, fmt::format_args);
extern const FormatEngine kFormatEngine;
const FormatEngine kFormatEngine = &fmt::vformat;

} // namespace culink
