// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "driver/options/option_table.h"

namespace culink {

// What somebody may have meant by a word that is no option, as a hint; empty: no idea.
[[nodiscard]] std::string suggest_option(std::string_view word);

// The values that an option takes, those first that look like `value`.
[[nodiscard]] std::string suggest_value(const OptionRow &row, std::string_view value);

// What to type instead of a first word that looks like a command, such as "version" or "dump";
// empty: it does not.
[[nodiscard]] std::string suggest_command(std::string_view word);

} // namespace culink
