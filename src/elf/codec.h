// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of all record codecs (nv_*.h). The contract of every decode_X(bytes) here:
//   * it never fails and never reads outside `bytes`; the result refers to them;
//   * violations of the format are listed in `violations` with their offset; if the next record
//   cannot
//     be found, everything from there on is kept in `rest`;
//   * encode_X(decode_X(bytes)) == bytes, for any bytes at all.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/types.h"

namespace culink::elf {

// A broken rule, at a byte offset inside the decoded section.
struct Violation {
  u64 offset = 0;
  std::string message;
};

template <typename T> void append_le(std::vector<u8> &out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const u64 at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

inline void append_bytes(std::vector<u8> &out, ByteSpan bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

} // namespace culink::elf
