// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether loads of images by index get the offset of the first slot.
[[nodiscard]] bool updates_image_base(const Program &program);

} // namespace culink::emulate
