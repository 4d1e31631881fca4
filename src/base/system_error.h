// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/result.h"

namespace culink {

// What a system call that just failed says in errno.
[[nodiscard]] inline Error system_error(const char *what) {
  return Error{"", "", std::string(what) + ": " + std::strerror(errno)};
}

} // namespace culink
