// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::nvlink {

// True if a pointer in a section of an object is lost because the object's own definition of the
// symbol was discarded when it was read.
[[nodiscard]] bool loses_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);

// Like loses_pointer, and also true if that definition was overridden later.
[[nodiscard]] bool drops_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);

} // namespace culink::nvlink
