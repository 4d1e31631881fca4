// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns with one wildcard. When the text after a star does not fit, only the last star needs to
// take one character more: the text before it fits already.
#include "model/host_references.h"

namespace culink {

bool matches_pattern(std::string_view name, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t n = 0, p = 0, star = kNone, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

} // namespace culink
