// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace culink {

// "5G", "500M", "64k" or a number of bytes; nothing for other texts and for none at all.
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

} // namespace culink
