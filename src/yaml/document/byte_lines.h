// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/string_index.h"
#include "support/types.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// Bytes and machine code as text. A value is one line or many (a list, or a block of lines); '#'
// begins a comment on a line. A line is one of
//   0123abcd ...   bytes in hexadecimal, blanks between bytes allowed
//   zero xN        N zero bytes
// and in code also
//   0x0000000000007918 0x000fc00000000000   one instruction: low word, high word
//   nop            one NOP, `nop xN` several

inline constexpr u64 kInstructionSize = 16;

// Bytes as lines of the form above.
[[nodiscard]] Node data_node(ByteSpan bytes);
[[nodiscard]] std::vector<u8> read_data(const Node &node, Complaints &complaints);

// Precondition of the first: a multiple of kInstructionSize.
[[nodiscard]] Node code_node(ByteSpan bytes);
[[nodiscard]] std::vector<u8> read_code(const Node &node, Complaints &complaints);

// 32-bit words as lines of numbers.
[[nodiscard]] Node number_lines_node(ByteSpan words);
[[nodiscard]] std::vector<u8> read_number_lines(const Node &node, Complaints &complaints);

// Bytes as hexadecimal digits in one scalar.
[[nodiscard]] std::string hex_string(ByteSpan bytes);

// A string table with the offsets of its strings. The offset of a string is its first complete
// occurrence, never the end of a longer string; the offset of "" is 0.
class StringPlaces {
public:
  StringPlaces() = default;
  // The bytes are borrowed.
  explicit StringPlaces(ByteSpan table);

  [[nodiscard]] std::optional<u32> find(std::string_view text) const;
  // Returns the table up to its last NUL, so that every offset inside starts a string.
  [[nodiscard]] ByteSpan table() const { return table_; }

private:
  StringIndex index_;
  std::vector<u32> offsets_; // by number in index_
  ByteSpan table_;
};

// Returns the table as a list: literal strings after the leading NUL, {zeros: N} for N empty ones,
// {names: N} for the next N names of `names` that are not in the table yet. Returns nullopt if the
// bytes are not such a table (they must begin and end with NUL).
[[nodiscard]] std::optional<Node> string_list_node(ByteSpan table,
                                                   std::span<const std::string_view> names);

// Returns the bytes of a list, followed by all names of `names` that the list did not place.
[[nodiscard]] std::vector<u8> read_string_list(std::span<const Node> list,
                                               std::span<const std::string_view> names,
                                               Complaints &complaints);

} // namespace culink::text
