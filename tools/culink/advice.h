// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/diagnostics.h"

namespace culink {

// Says what to do about the first undefined and the first duplicate symbol of which nothing better
// is known.
void advise_about_symbols(std::vector<Message> &messages);

} // namespace culink
