// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// Whether somebody who says `wanted` means this symbol: by its own name, or by the one that the
// source has, with or without parameters, template arguments and namespaces, however blanks and
// `const` are put. A star stands for any text.
[[nodiscard]] bool is_meant(std::string_view symbol, std::string_view wanted);

// Whether -kernels-used keeps a kernel: its name has one of these texts in it, or, if names may be
// those of the source, is meant by one.
[[nodiscard]] bool selects_kernel(std::string_view symbol, const std::vector<std::string> &wanted,
                                  bool by_source_name);

// The number of letters to be changed, added, left out or swapped, at most `limit`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Words of `known` that a user who wrote `word` may have meant, the likeliest first: at most
// `most`, of which none differs in more than a third of its letters.
[[nodiscard]] std::vector<std::string_view>
similar_names(std::string_view word, const std::vector<std::string_view> &known, size_t most);

// "a, b, c"
[[nodiscard]] std::string comma_list(const std::vector<std::string_view> &names);

} // namespace culink
