// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink::text {

// Shows every mangled name in a text as in the source, also one that ends the name of a section:
// "'.text._Z1kPf': size 0x10" becomes "'.text.k(float*)': size 0x10".
[[nodiscard]] std::string demangle_within(std::string_view text);

} // namespace culink::text
