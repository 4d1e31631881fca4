// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace culink {

// One link of some objects by the program nvlink. It takes files by their names only, so the
// objects lie in a new folder of their own under `folder` meanwhile. `options`: -arch and others.
// It is ended after the limit, and soon after `cancelled` is set, unless null.
[[nodiscard]] Result<std::vector<u8>>
link_with_nvlink(const std::string &program, const std::string &folder,
                 const std::vector<std::string> &options, const std::vector<ByteSpan> &objects,
                 std::chrono::seconds limit, const std::atomic<bool> *cancelled = nullptr);

} // namespace culink
