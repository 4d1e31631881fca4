// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/types.h"

namespace culink {

// What --strip-debug makes of an image.
struct StrippedImage {
  std::optional<std::vector<u8>> bytes; // nothing: the image as it is has no debug information
  std::string flaw;                     // what is wrong with it; empty: nothing
};
[[nodiscard]] StrippedImage strip_output(ByteSpan image);

} // namespace culink
