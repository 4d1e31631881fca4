// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/cubin_reader.h"
#include "elf/elf_view.h"

namespace culink::inspect {

// What the kernels and functions of a file need. Names are views into the file. A tolerant view
// will do: what cannot be read counts as absent.
[[nodiscard]] ModuleUsage collect_usage(const elf::ElfView &file);

} // namespace culink::inspect
