// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "cache/digest.h"

namespace culink {

// What a compiler answered.
struct CachedAnswer {
  std::vector<u8> image;
  std::string text; // what it said
};

// An answer as a file, in a folder or in a shared store, and back. Nothing: the file is not whole,
// or is the answer to another question than `key`.
[[nodiscard]] std::vector<u8> encode_entry(const Digest &key, ByteSpan image,
                                           std::string_view text);
[[nodiscard]] std::optional<CachedAnswer> decode_entry(const Digest &key, ByteSpan file);

} // namespace culink
