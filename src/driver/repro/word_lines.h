// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culink {

// Texts of any bytes as lines of a text file, each of several fields with tabs between them.
// Control characters and backslashes are written as \xNN.
[[nodiscard]] std::string to_line(const std::vector<std::string> &fields);

// The lines of a text, taken apart. Nothing: there is a backslash that begins no \xNN.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>>
from_lines(std::string_view text);

} // namespace culink
