// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of an input of the target `link`: a device object, behind it perhaps a second file of
// any kind, then eight bytes that say where the second one begins (anything else: there is none,
// and all of the input is the first) and one that chooses options.
#pragma once

#include <vector>

#include "support/bytes.h"
#include "support/types.h"

namespace culink::fuzz {

struct SplitInput {
  ByteSpan first, second;
  u8 options = 0;
};

inline constexpr size_t kLinkTail = 9;

inline SplitInput split_input(ByteSpan input) {
  if (input.empty())
    return {};
  const size_t size = input.size();
  const u64 split = size > kLinkTail ? load_le<u64>(input.data() + size - kLinkTail) : 0;
  if (split == 0 || split >= size - kLinkTail)
    return {input, {}, input.back()};
  return {input.first(split), input.subspan(split, size - kLinkTail - split), input.back()};
}

inline std::vector<u8> join_input(ByteSpan first, ByteSpan second, u8 options) {
  std::vector<u8> out(first.begin(), first.end());
  out.insert(out.end(), second.begin(), second.end());
  out.resize(out.size() + kLinkTail);
  store_le<u64>(out.data() + out.size() - kLinkTail, second.empty() ? 0 : first.size());
  out.back() = options;
  return out;
}

} // namespace culink::fuzz
