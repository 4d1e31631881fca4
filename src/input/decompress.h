// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace culink {

enum class Compression : u8 {
  None,
  Lz4,  // one raw block, without a frame around it
  Zstd, // one frame
  Unknown,
};

// The bytes that were packed. `size` is how many they are, as the container says: a size that the
// packed bytes cannot hold is refused before memory is taken for it, and so is any other outcome
// than exactly that many bytes.
[[nodiscard]] Result<std::vector<u8>> decompress(Compression how, ByteSpan packed, u64 size);

} // namespace culink
