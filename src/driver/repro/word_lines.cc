// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of files may have any byte but NUL in them. The lists in a stored link are text that people
// read and change, so whatever would break a line or a field is escaped, and nothing else.
#include "driver/repro/word_lines.h"

#include <charconv>

#include <fmt/format.h>

namespace culink {

namespace {

constexpr char kSeparator = '\t';

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f || c == '\\')
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  constexpr size_t kLength = 4; // \xNN
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i).substr(0, kLength);
    unsigned byte = 0;
    if (!digits.starts_with("\\x") || digits.size() != kLength)
      return std::nullopt;
    const char *end = digits.data() + kLength;
    if (std::from_chars(digits.data() + 2, end, byte, 16).ptr != end)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += kLength - 1;
  }
  return out;
}

// The text up to a character, which is removed with it.
std::string_view take_until(std::string_view &text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

} // namespace

std::string to_line(const std::vector<std::string> &fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i)
    out += (i == 0 ? "" : std::string(1, kSeparator)) + escaped(fields[i]);
  return out + "\n";
}

std::optional<std::vector<std::vector<std::string>>> from_lines(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    std::vector<std::string> &fields = lines.emplace_back();
    do {
      const std::optional<std::string> field = unescaped(take_until(line, kSeparator));
      if (!field)
        return std::nullopt;
      fields.push_back(*field);
    } while (!line.empty());
  }
  return lines;
}

} // namespace culink
