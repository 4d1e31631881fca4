// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// Demangles `name` in nvlink's style: `scale(const float *, S &)`. Only for texts that are to be
// nvlink's. Template arguments and parameters are written out where nvlink numbers them (Q091).
// Returns `name` unchanged if it is not mangled or nvlink cannot read it.
[[nodiscard]] std::string nvlink_name(std::string_view name);

} // namespace culink
