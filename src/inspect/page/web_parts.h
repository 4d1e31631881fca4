// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace culink::page {

// The text of a page before and behind its data. cmake/embed_page.py writes the functions.
[[nodiscard]] std::string_view before_data();
[[nodiscard]] std::string_view after_data();

} // namespace culink::page
