// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/linker.h"
#include "support/mapped_file.h"

namespace culink {

// As the functions of culink/linker.h, with files from elsewhere than the file system.
[[nodiscard]] LinkResult link(const LinkRequest &request, const FileSource &files);
[[nodiscard]] LinkResult list_modules(const LinkRequest &request, const FileSource &files);

} // namespace culink
