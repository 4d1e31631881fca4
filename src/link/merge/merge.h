// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink {

// Creates output sections and symbols from the inputs, file by file, in nvlink's order.
[[nodiscard]] Layout merge_inputs(const Program &program);

// Whether nvlink forgets a pointer in constants of an object because the object's own definition of
// the symbol was not used when it was read, or is not in the end (Q045).
[[nodiscard]] bool loses_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);
[[nodiscard]] bool drops_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);

} // namespace culink
