// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/types.h"

namespace culink {

// Whether a report that nvlink prints, too, says what is so or what nvlink would say.
enum class Wording : u8 { Own, Nvlink };

} // namespace culink
