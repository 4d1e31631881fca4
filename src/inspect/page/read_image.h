// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf/elf_view.h"
#include "inspect/page/report.h"

namespace culink::page {

// An image as a page shows it, without its names. Each byte of the file is one function's, or one
// part's. A tolerant view will do.
[[nodiscard]] ImageReport read_image(const elf::ElfView &file);

} // namespace culink::page
