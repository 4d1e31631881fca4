// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/model/input_object.h"
#include "support/result.h"

namespace culink {

// The Mercury object inside an object for sm_100 and later: sections and symbols have the numbers
// and names of their SASS counterparts, so that what a pass finds out about one plane holds for the
// other. Sections without a Mercury form are the same in both planes, except that constant bank 0
// is missing.
//
// Nor are calls of the driver that machine code has in place of Mercury instructions: their symbols
// and relocations are in the SASS plane only.
[[nodiscard]] Result<InputObject> parse_mercury_plane(const InputObject &object);

// Whether a symbol that Mercury code does not have is a function of the driver that compilers for
// the object's target call for textures and surfaces.
[[nodiscard]] bool is_image_function(const InputObject &object, const elf::Symbol &symbol);

} // namespace culink
