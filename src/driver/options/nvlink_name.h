// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// Demangles `name` in nvlink's style: `scale(const float *, S &)`. Only for texts in nvlink's
// words. Writes out template arguments and parameters where nvlink numbers them (Q091). Returns
// `name` unchanged if it is not mangled or nvlink does not demangle it.
[[nodiscard]] std::string nvlink_name(std::string_view name);

} // namespace culink
