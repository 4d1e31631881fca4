// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Little-endian loads and stores at any alignment, and the checked arithmetic that all parsers use.
// Archive members are only 2-byte aligned, so a cubin inside one may start at any even address; no
// code here assumes more.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "support/types.h"

namespace culink {

static_assert(std::endian::native == std::endian::little, "culink runs on little-endian hosts");

// Precondition: sizeof(T) bytes are readable at `p`.
template <typename T> [[nodiscard]] T load_le(const u8 *p) {
  static_assert(std::is_trivially_copyable_v<T>);
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

template <typename T> void store_le(u8 *p, T v) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(p, &v, sizeof(T));
}

// Stores the fields of a structure one by one. Building the structure on the stack and copying it
// would stall the processor: the copy loads more bytes at once than any store has written, so that
// store forwarding fails.
template <typename Structure, typename... Fields> void store_fields(u8 *p, Fields... fields) {
  static_assert((sizeof(Fields) + ...) == sizeof(Structure));
  ((store_le(p, fields), p += sizeof(Fields)), ...);
}

// Returns the value at `offset`, or nullopt if it is not inside.
template <typename T> [[nodiscard]] std::optional<T> load_at(ByteSpan bytes, u64 offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  return load_le<T>(bytes.data() + offset);
}

[[nodiscard]] constexpr std::optional<u64> checked_add(u64 a, u64 b) {
  u64 r = 0;
  if (__builtin_add_overflow(a, b, &r))
    return std::nullopt;
  return r;
}

// Returns bytes[offset, offset + size), or nullopt if the range is not inside.
[[nodiscard]] constexpr std::optional<ByteSpan> slice(ByteSpan bytes, u64 offset, u64 size) {
  if (offset > bytes.size() || bytes.size() - offset < size)
    return std::nullopt;
  return bytes.subspan(offset, size);
}

// Returns the NUL-terminated string at `offset`; nullopt if it starts or ends outside.
[[nodiscard]] inline std::optional<std::string_view> c_string_at(ByteSpan bytes, u64 offset) {
  if (offset >= bytes.size())
    return std::nullopt;
  const char *start = reinterpret_cast<const char *>(bytes.data()) + offset;
  const void *nul = std::memchr(start, 0, bytes.size() - offset);
  if (!nul)
    return std::nullopt;
  return std::string_view(start, static_cast<const char *>(nul) - start);
}

// Returns a string table up to its last NUL, so that every offset starts a terminated string.
[[nodiscard]] inline ByteSpan terminated_strings(ByteSpan table) {
  while (!table.empty() && table.back() != 0)
    table = table.first(table.size() - 1);
  return table;
}

// starts_with for lists of prefixes: compares the last character first, which rejects most prefixes
// at once.
[[nodiscard]] constexpr bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         (prefix.empty() || text[prefix.size() - 1] == prefix.back()) && text.starts_with(prefix);
}

[[nodiscard]] constexpr bool is_power_of_two(u64 v) {
  return v != 0 && (v & (v - 1)) == 0;
}

// Precondition: `v` is bounded. The alignment need not be a power of two: nvlink's relocatable
// links have alignments such as 48.
[[nodiscard]] constexpr u64 align_up(u64 v, u64 align) {
  if (align <= 1)
    return v;
  return is_power_of_two(align) ? (v + align - 1) & ~(align - 1) : (v + align - 1) / align * align;
}

[[nodiscard]] inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const u8 *>(text.data()), text.size()};
}

} // namespace culink
