// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace culink {

// The words of a text of options as NVIDIA's tools divide it: at blanks and tabulators, up to the
// first NUL. Quotes have no meaning.
[[nodiscard]] inline std::vector<std::string> option_words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text = text.substr(0, text.find('\0'));
  std::vector<std::string> out;
  for (size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

} // namespace culink
