// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink::tools {

// The word of a list that was probably meant: one that differs by few letters, or of which the word
// is the beginning. Empty if none is like it.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string> &words);

} // namespace culink::tools
