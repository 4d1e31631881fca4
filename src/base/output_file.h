// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/types.h"

namespace culink {

// Writes `bytes` to a temporary file beside `path` and renames it into place: readers see the old
// file or the whole new one, and a failure leaves an existing file untouched. "-" is standard
// output; a path that exists and is no regular file (/dev/null, a pipe) is written directly.
[[nodiscard]] std::optional<Error> write_file(const std::string &path, ByteSpan bytes);

} // namespace culink
