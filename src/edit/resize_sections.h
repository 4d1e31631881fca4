// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// A relocatable 64-bit ELF file in which some sections have other contents. The others keep theirs
// and their order; symbols that were as long as their section end with it.
[[nodiscard]] Result<std::vector<u8>>
resize_sections(ByteSpan file, const std::map<u32, std::vector<u8>> &changed);

} // namespace culink
