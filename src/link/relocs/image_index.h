// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>

#include "link/relocs/classify_relocs.h"

namespace culink {

// The code of a text section.
using CodeOf = std::function<ByteSpan(OutId)>;

// The plan with what code needs that loads the number of an image by an index.
[[nodiscard]] RelocationPlan index_images(const Layout &layout, const ImagePlan &images,
                                          const CodeOf &code_of, RelocationPlan plan);

} // namespace culink
