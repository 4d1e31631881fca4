// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one function of fmt that all formatting ends in, compiled into the library. A shared libfmt
// needs a shared libstdc++, and binding the symbols of these takes longer than a small link; users
// of the installed libraries need no fmt either. It comes as headers that can stand for its
// library.
//
// What may surprise: this file is never compiled together with others (CMakeLists.txt), because the
// macro gives the same headers another meaning.
#ifndef FMT_HEADER_ONLY // static programs have it everywhere
#define FMT_HEADER_ONLY
#endif
#include <fmt/format.h>

namespace culink {

// Nobody calls through it; it makes the compiler emit the function, which is inline here.
using FormatEngine = std::string (*)(fmt::string_view, fmt::format_args);
extern const FormatEngine kFormatEngine;
const FormatEngine kFormatEngine = &fmt::vformat;

} // namespace culink
