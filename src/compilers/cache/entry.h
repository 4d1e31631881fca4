// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/cache/digest.h"
#include "support/types.h"

namespace culink {

// What a compiler answered.
struct CachedAnswer {
  std::vector<u8> image;
  std::string text; // what it said
};

// How long the beginning of an entry is, and the size of the whole, which the beginning says.
// Nothing: it does not begin as an entry for that key.
inline constexpr u64 kEntryHeader = 88;
[[nodiscard]] std::optional<u64> entry_size(const Digest &key, ByteSpan beginning);

// An answer as a file, in a folder or in a shared store, and back. Nothing: the file is not whole,
// or is the answer to another question than `key`.
[[nodiscard]] std::vector<u8> encode_entry(const Digest &key, ByteSpan image,
                                           std::string_view text);
[[nodiscard]] std::optional<CachedAnswer> decode_entry(const Digest &key, ByteSpan file);

} // namespace culink
