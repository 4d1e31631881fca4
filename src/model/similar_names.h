// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// The number of letters to be changed, added, left out or swapped, at most `limit`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Those of `known` that somebody who wrote `word` may have meant, the likeliest first: at most
// `most`, of which none differs in more than a third of its letters.
[[nodiscard]] std::vector<std::string_view>
similar_names(std::string_view word, const std::vector<std::string_view> &known, size_t most);

// "a, b, c"
[[nodiscard]] std::string comma_list(const std::vector<std::string_view> &names);

} // namespace culink
