// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// Makes `folder` a CUDA toolkit of links in which nvlink is this program. `cuda`: the toolkit, or
// empty for the one that toolkit.h finds. The result is empty, or says what went wrong.
[[nodiscard]] std::string make_toolchain(const std::string &folder, const std::string &cuda);

// Makes `folder` one with culink's libraries under the names of nvJitLink. The result is empty, or
// says what went wrong.
[[nodiscard]] std::string make_jit_folder(const std::string &folder);

} // namespace culink
