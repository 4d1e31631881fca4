// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of all record codecs (nv_*.h). The contract of every decode_X(bytes) here:
//   * it never fails and never reads outside `bytes`; the result refers to them;
//   * violations of the format are listed in `violations` with their offset; if the next record
//     cannot be found, `rest` is everything from there on;
//   * encode_X(decode_X(bytes)) == bytes, for any bytes at all.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/types.h"

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

// A row is a struct with the layout of the file and without padding.
template <typename T>
concept FileRow = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>;

// Returns the rows in `bytes`, without an incomplete last one.
template <FileRow T> [[nodiscard]] std::vector<T> load_rows(ByteSpan bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty())
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

template <FileRow T> void append_rows(std::vector<u8> &out, const std::vector<T> &rows) {
  append_bytes(out, {reinterpret_cast<const u8 *>(rows.data()), rows.size() * sizeof(T)});
}

// A section with rows of one size.
template <FileRow T> struct RowSection {
  std::vector<T> records;
  ByteSpan rest;
  std::vector<Violation> violations;
};

// `complaint` follows the number of trailing bytes: "trailing bytes, a pair has 8".
template <FileRow T>
[[nodiscard]] RowSection<T> decode_rows(ByteSpan section, std::string_view complaint) {
  RowSection<T> out{load_rows<T>(section), {}, {}};
  const u64 end = out.records.size() * sizeof(T);
  out.rest = section.subspan(end);
  if (!out.rest.empty())
    out.violations.push_back({end, std::to_string(out.rest.size()) + " " + std::string(complaint)});
  return out;
}

template <FileRow T> [[nodiscard]] std::vector<u8> encode_rows(const RowSection<T> &section) {
  std::vector<u8> out;
  append_rows(out, section.records);
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
