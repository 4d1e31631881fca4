// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace culink {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Borrowed bytes: a mapped file, a decompressed fatbin member, a caller's buffer.
using ByteSpan = std::span<const u8>;
using MutableByteSpan = std::span<u8>;

// A typed 32-bit index. Ids replace pointers between passes: they are small, comparable, printable
// and the same in every run. Two tables with different tags cannot be mixed up.
template <typename Tag> struct Id {
  u32 value = kNone;

  static constexpr u32 kNone = 0xffffffff;

  constexpr Id() = default;
  constexpr explicit Id(u32 v) : value(v) {}

  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

} // namespace culink
