// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

enum class Compression : u8 {
  None,
  Lz4,  // one raw block, without a frame around it
  Zstd, // one frame
  Unknown,
};

// "raw", "lz4", "zstd" or "unknown".
[[nodiscard]] std::string_view compression_name(Compression how);

// The unpacked bytes. `size` is their number as the container says: a size that the packed bytes
// cannot give is refused before memory is allocated for it, and so is any other outcome than
// exactly that many bytes.
[[nodiscard]] Result<std::vector<u8>> decompress(Compression how, ByteSpan packed, u64 size);

} // namespace culink
