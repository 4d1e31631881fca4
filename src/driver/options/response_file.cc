// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of parse_command_line: words that give the same command line again. Options come in
// the order of the table and inputs last, which changes nothing: only the order of inputs among
// themselves and of the values of a list counts.
#include <string>

#include <fmt/format.h>

#include "driver/options/command_line.h"

namespace culink {

namespace {

// As a word of a response file.
std::string escaped(std::string_view word) {
  constexpr std::string_view kPlain = "-_=+,.:/@%";
  std::string out;
  for (const char c : word) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       kPlain.find(c) != std::string_view::npos ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain)
      out += '\\';
    out += c;
  }
  return out.empty() ? "''" : out;
}

std::string list_item(const std::string &item) {
  return item.find(',') == std::string::npos ? item : fmt::format("\"{}\"", item);
}

} // namespace

std::string response_text(const CommandLine &line) {
  std::string out;
  for (const OptionRow &row : option_rows()) {
    if (!line.has(row.id) || row.id == OptionId::OptionsFile) // whose words are among the others
      continue;
    std::string word = fmt::format("--{}", row.name);
    for (size_t i = 0; i < line.list(row.id).size(); ++i)
      word += (i == 0 ? "=" : ",") +
              (is_list(row.kind) ? list_item(line.list(row.id)[i]) : line.list(row.id)[i]);
    if (is_list(row.kind) && line.list(row.id).empty())
      word += "=";
    out += escaped(word) + "\n";
  }
  for (const std::string &input : line.inputs)
    out += escaped(input) + "\n";
  return out;
}

} // namespace culink
