// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The archive with what `rewrite` makes of each member. Names, order and the index of symbols stay;
// the offsets in the index are those of the new archive. Thin archives are refused.
[[nodiscard]] Result<std::vector<u8>> rewrite_archive(
    ByteSpan archive,
    const std::function<Result<std::vector<u8>>(const std::string &name, ByteSpan bytes)> &rewrite);

// A relocatable 64-bit ELF file in which some sections have other contents. The others keep theirs
// and their order; symbols that were as long as their section end with it.
[[nodiscard]] Result<std::vector<u8>>
resize_sections(ByteSpan file, const std::map<u32, std::vector<u8>> &changed);

} // namespace culink
