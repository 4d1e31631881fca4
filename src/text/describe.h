// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf/elf_view.h"
#include "text/document.h"

namespace culink::text {

// The exact form: assemble(describe_exact(file)) gives the file's bytes, also for a tolerant view
// of a broken file. Its size is in proportion to the file: bytes that several sections share are
// written once.
[[nodiscard]] Node describe_exact(const elf::ElfView &file);

} // namespace culink::text
