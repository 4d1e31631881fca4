// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether loads of images by index get the offset of the first slot.
[[nodiscard]] bool updates_image_base(const Program &program);

// Whether the slot of an opaque parameter is not filled, because something else has its name.
[[nodiscard]] bool loses_slot(const Program &program, EntityId opaque);

} // namespace culink::emulate
