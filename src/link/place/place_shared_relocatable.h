// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/place/place_shared.h"

namespace culink {

[[nodiscard]] PlacedShared place_shared_relocatable(const Program &program, Layout layout);

} // namespace culink
