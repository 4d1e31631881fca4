// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

#include "support/types.h"

namespace culink {

// 256 bits that stand for contents: nobody can make two that have the same.
using Digest = std::array<u8, 32>;

// BLAKE2b (RFC 7693) with 32 bytes of result. Contents may come in parts.
class Hasher {
public:
  Hasher();

  void add(ByteSpan bytes);
  // Nothing may be added afterwards.
  [[nodiscard]] Digest finish();

private:
  static constexpr u64 kBlock = 128;

  void compress(const u8 *block, bool last);

  std::array<u64, 8> state_;
  std::array<u8, kBlock> waiting_; // the last block is another one than those before it
  u64 waits_ = 0;
  u64 total_ = 0;
};

[[nodiscard]] Digest digest_of(ByteSpan bytes);

// 64 digits.
[[nodiscard]] std::string to_hex(const Digest &digest);

} // namespace culink
