// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// A string of JSON. File names may be any bytes; those that are no text are shown by their numbers.
[[nodiscard]] std::string quoted_json(std::string_view text);

} // namespace culink
