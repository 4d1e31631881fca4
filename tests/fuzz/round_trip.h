// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every codec's fuzz target demands: any bytes decode, encode to themselves, and decode again.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "support/types.h"

namespace culink::fuzz {

// Stops the fuzzer on the input that broke the rule.
inline void require(bool holds) {
  if (!holds)
    std::abort();
}

// Returns the decoded form for further demands. It borrows `bytes`.
template <typename Decode, typename Encode>
auto require_round_trip(ByteSpan bytes, Decode decode, Encode encode) {
  auto decoded = decode(bytes);
  const std::vector<u8> encoded = encode(decoded);
  require(std::ranges::equal(encoded, bytes));
  require(decode(encoded).violations.size() == decoded.violations.size());
  require(decoded.rest.empty() || !decoded.violations.empty());
  return decoded;
}

} // namespace culink::fuzz
