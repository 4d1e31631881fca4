// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for JSON. Names come from files of strangers, so nothing but characters that every reader
// takes is written as it is.
#include "report/json_text.h"

#include <fmt/format.h>

#include "support/text_out.h"

namespace culink {

std::string quoted_json(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const size_t length = character_length(text.substr(i));
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", text[i]);
    else if (length == 0)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out + "\"";
}

} // namespace culink
