// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// Makes `folder` a CUDA toolkit of links with this program as nvlink. `cuda`: the toolkit, or empty
// for the toolkit that toolkit.h finds. Returns an error, or an empty text.
[[nodiscard]] std::string make_toolchain(const std::string &folder, const std::string &cuda);

// Makes `folder` one with culink's libraries under the names of nvJitLink. Returns an error, or an
// empty text.
[[nodiscard]] std::string make_jit_folder(const std::string &folder);

} // namespace culink
