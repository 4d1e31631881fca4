// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes all JSON of the programs. It does not build a document, so memory does not grow with the
// output. Names come from untrusted files, so only characters that every reader accepts are written
// literally.
#include "support/json.h"

#include <fmt/format.h>

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

void JsonWriter::open(char bracket, bool own_line) {
  next(own_line);
  out_.put(bracket);
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket, bool own_line) {
  --depth_;
  if (own_line && !first_)
    begin_line();
  out_.put(bracket);
  first_ = false;
}

void JsonWriter::key(std::string_view name, bool own_line) {
  next(own_line);
  out_.put('"');
  out_.put(name);
  out_.put(spaced_ ? "\": " : "\":");
  first_ = true;
}

void JsonWriter::text(std::string_view bytes) {
  if (!is_plain(bytes) || bytes.find('"') != std::string_view::npos)
    return word(quoted_json(bytes));
  next();
  out_.put('"');
  out_.put(bytes);
  out_.put('"');
}

void JsonWriter::number(u64 value) {
  next();
  out_.decimal(value);
}

void JsonWriter::number(i64 value) {
  next();
  out_.decimal(value);
}

void JsonWriter::word(std::string_view text) {
  next();
  out_.put(text);
}

void JsonWriter::next(bool own_line) {
  if (!first_)
    out_.put(spaced_ && !own_line ? ", " : ",");
  if (own_line)
    begin_line();
  first_ = false;
}

void JsonWriter::begin_line() {
  out_.put('\n');
  out_.fill(' ', depth_);
}

} // namespace culink
