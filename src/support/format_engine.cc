// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of fmt that all formatting uses, compiled into the library. A shared libfmt
// requires a shared libstdc++, and binding the symbols of both takes longer than a small link.
// Also, users of the installed libraries need no fmt. Its headers can replace its library.
//
// What may surprise: this file is never part of a unity build (CMakeLists.txt), because the macro
// changes the meaning of the headers.
#ifndef FMT_HEADER_ONLY // static programs define it everywhere
#define FMT_HEADER_ONLY
#endif
#include <cstdint>

#include <fmt/format.h>

namespace culink {

// These pointers are never called. They make the compiler emit two functions that are inline here:
// the one for all values, and the one for characters of quoted strings, which templates call.
struct FormatEngine {
  std::string (*format)(fmt::string_view, fmt::format_args);
  bool (*is_printable)(uint32_t);
};
extern const FormatEngine kFormatEngine;
const FormatEngine kFormatEngine = {&fmt::vformat, &fmt::detail::is_printable};

} // namespace culink
