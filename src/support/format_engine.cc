// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of fmt that all formatting ends in, compiled into the library. A shared libfmt
// needs a shared libstdc++, and binding the symbols of these takes longer than a small link; users
// of the installed libraries need no fmt either. It comes as headers that can stand for its
// library.
//
// What may surprise: this file is never compiled together with others (CMakeLists.txt), because the
// macro gives the same headers another meaning.
#ifndef FMT_HEADER_ONLY // static programs have it everywhere
#define FMT_HEADER_ONLY
#endif
#include <cstdint>

#include <fmt/format.h>

namespace culink {

// These pointers are never called; they make the compiler emit functions that are inline here: the
// one for all values, and the one for characters of quoted strings, which templates call.
struct FormatEngine {
  std::string (*format)(fmt::string_view, fmt::format_args);
  bool (*is_printable)(uint32_t);
};
extern const FormatEngine kFormatEngine;
const FormatEngine kFormatEngine = {&fmt::vformat, &fmt::detail::is_printable};

} // namespace culink
