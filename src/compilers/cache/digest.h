// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

#include "support/types.h"

namespace culink {

// A 256-bit digest that identifies contents. Collisions cannot be constructed.
using Digest = std::array<u8, 32>;

// BLAKE2b (RFC 7693) with a digest of 32 bytes. The input may be added in pieces.
class Hasher {
public:
  Hasher();

  void add(ByteSpan bytes);
  // Returns the digest. No input may be added afterwards.
  [[nodiscard]] Digest finish();

private:
  static constexpr u64 kBlock = 128;

  void compress(const u8 *block, bool last);

  std::array<u64, 8> state_;
  std::array<u8, kBlock> waiting_; // the last block is compressed differently, so it waits
  u64 waits_ = 0;
  u64 total_ = 0;
};

[[nodiscard]] Digest digest_of(ByteSpan bytes);

// Returns 64 hexadecimal digits.
[[nodiscard]] std::string to_hex(const Digest &digest);

} // namespace culink
