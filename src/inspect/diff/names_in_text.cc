// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences are texts that are full of names: of symbols, and of sections, which end in the name
// of a function. Here the names are found again by their characters, so that whoever wants them
// demangled gets that in every line, whatever part of the comparison has written it.
#include "inspect/diff/names_in_text.h"

#include <algorithm>

#include "support/demangle.h"

namespace culink::text {

namespace {

bool is_part_of_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '.';
}

// A word that is a name, or has one behind a dot, as names of sections do.
std::string demangle_word(std::string_view word) {
  if (std::string text = demangle(word); text != word)
    return text;
  const size_t dot = std::min(word.find("._"), word.find(".$"));
  if (dot == std::string_view::npos)
    return std::string(word);
  return std::string(word.substr(0, dot + 1)) + demangle(word.substr(dot + 1));
}

} // namespace

std::string demangle_within(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto begin = std::find_if(text.begin(), text.end(), is_part_of_name);
    const auto end = std::find_if_not(begin, text.end(), is_part_of_name);
    out.append(text.begin(), begin);
    out += demangle_word({begin, end});
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  }
  return out;
}

} // namespace culink::text
