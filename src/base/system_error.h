// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/result.h"

namespace culink {

// The error of a system call that just failed, from errno.
[[nodiscard]] inline Error system_error(const char *what) {
  return Error{"", "", std::string(what) + ": " + std::strerror(errno)};
}

} // namespace culink
