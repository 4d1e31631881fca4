// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// Makes `folder` one with culink's libraries under the names of nvJitLink. The result is empty, or
// says what went wrong.
[[nodiscard]] std::string make_jit_folder(const std::string &folder);

} // namespace culink
