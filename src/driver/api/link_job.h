// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/linker.h"
#include "support/mapped_file.h"

namespace culink {

// Like the functions of culink/linker.h, but the files come from `files`.
[[nodiscard]] LinkResult link(const LinkRequest &request, const FileSource &files);
[[nodiscard]] LinkResult list_modules(const LinkRequest &request, const FileSource &files);

} // namespace culink
