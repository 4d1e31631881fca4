// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.h"

namespace culink {

// Parses "5G", "500M", "64k" or a number of bytes; returns nullopt for other texts and for "".
[[nodiscard]] inline std::optional<u64> parse_byte_size(std::string_view text) {
  constexpr std::string_view kUnits = "kMGT";
  u64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (error != std::errc() || number == 0 || unit.size() > 1)
    return std::nullopt;
  if (unit == "K")
    unit = "k";
  const size_t power = unit.empty() ? 0 : kUnits.find(unit.front()) + 1;
  if ((!unit.empty() && power == 0) || number > (~u64{0} >> (10 * power)))
    return std::nullopt;
  return number << (10 * power);
}

// Splits options into words like NVIDIA's tools: at blanks and tabs, up to the first NUL. Quotes
// have no meaning.
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
