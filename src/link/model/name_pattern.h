// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// True if `wanted` names this symbol: by its own name, or by the one in the source,
// with or without parameters, template arguments and namespaces, however blanks and
// `const` are put. A star matches any text.
[[nodiscard]] bool is_meant(std::string_view symbol, std::string_view wanted);

// True if -kernels-used keeps a kernel: its name contains one of these texts or, if source names
// are allowed, matches one.
[[nodiscard]] bool selects_kernel(std::string_view symbol, const std::vector<std::string> &wanted,
                                  bool by_source_name);

// The number of letters to be changed, added, left out or swapped, at most `limit`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Words of `known` that are similar to `word`, the likeliest first: at most
// `most`, of which none differs in more than a third of its letters.
[[nodiscard]] std::vector<std::string_view>
similar_names(std::string_view word, const std::vector<std::string_view> &known, size_t most);

// "a, b, c"
[[nodiscard]] std::string comma_list(const std::vector<std::string_view> &names);

} // namespace culink
