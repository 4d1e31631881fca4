// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/types.h"

namespace culink::nvlink {

// The instructions of a call frame (FDE) of .debug_frame by location in the code, in units of its
// CIE. A location may have none.
using FrameInstructions = std::map<u64, std::vector<u8>>;

// Reads the instructions of an FDE of the 64-bit format. Nothing for one that cannot be read.
[[nodiscard]] std::optional<FrameInstructions> read_frame_instructions(ByteSpan fde);

// The FDE with other instructions, padded as ptxas does. Precondition: `fde` has an address and a
// size.
[[nodiscard]] std::vector<u8> with_frame_instructions(ByteSpan fde,
                                                      const FrameInstructions &instructions);

} // namespace culink::nvlink
